import { addMember, addPerson, signInQuickly } from "../support/people.js";
import { accessible, awake, expect, open, shots, test } from "../support/test.js";

/** Creates a study with two annotators, and signs its lead in. */
async function lead(page, server) {
  addPerson(server, "lea");
  server.command("study", "create", "river", "--name", "River study", "--lead", "lea");
  for (const name of ["ann", "bea"]) {
    addPerson(server, name);
    addMember(server, name, "river", "annotator");
  }
  await signInQuickly(page, server, "lea");
}

test("a lead creates a study, and its settings are saved", async ({ page, server }) => {
  await lead(page, server);
  await open(page, server, "/studies/new");
  await page.getByLabel("Name", { exact: true }).fill("Harbour study, part 2");
  await page.getByText("Advanced", { exact: true }).click();
  await page.getByLabel("As the paper states it").check();
  await page.getByLabel("Threshold").fill("");
  await page.getByRole("button", { name: "Create the study" }).click();
  await expect(page).toHaveURL(/\/s\/harbour-study-part-2$/);
  await expect(page.getByRole("link", { name: "Import sources" })).toBeVisible();

  await open(page, server, "/s/harbour-study-part-2/settings");
  await page.getByLabel("when a lead approves", { exact: true }).check();
  await page.getByText("More settings").click();
  await page.getByLabel("Hours until").fill("48");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("The settings have been saved.")).toBeVisible();
  await expect(page.getByLabel("when a lead approves", { exact: true })).toBeChecked();
  await expect(page.getByLabel("Hours until")).toHaveValue("48");
  await open(page, server, "/s/harbour-study-part-2/settings/scales");
  await page.getByLabel("Name of dimension 2").fill("fluency");
  await page.getByLabel("Worst of dimension 2").fill("-2");
  await page.getByLabel("Best of dimension 2").fill("2");
  await page.getByRole("button", { name: "Save the dimensions" }).click();
  await expect(page.getByText("The dimensions have been saved.")).toBeVisible();
  await expect(page.getByLabel("Best of dimension 2")).toHaveValue("2");
  await open(page, server, "/s/harbour-study-part-2/settings/advanced");
  await expect(page.getByLabel("Threshold")).toHaveValue("0.5");
  await page.getByLabel("Tuned to the released labels").check();
  await page.getByLabel("Threshold").fill("0.65");
  await page.getByRole("button", { name: "Save and re-categorise" }).click();
  await expect(page.getByText("No output changed its category")).toBeVisible();
  await expect(page.getByLabel("Threshold")).toHaveValue("0.65");
});

test("a lead manages members and links on one page", async ({ page, server }) => {
  await lead(page, server);
  await open(page, server, "/s/river/members");
  await page.getByLabel("Label").fill("Spring course");
  await page.getByLabel("Number of people").fill("12");
  await page.getByRole("button", { name: "Make a link" }).click();
  await expect(page.getByRole("link", { name: /\/invite\// })).toBeVisible();
  await awake(page);
  await accessible(page);
  await shots(page, "lead-members");
  const link = page.getByRole("row", { name: /Spring course/ });
  await expect(link).toContainText("works for 12 more people");
  await link.getByRole("button", { name: "Revoke" }).click();
  await expect(link).toContainText("revoked");
  await awake(page);

  const row = page.getByRole("row", { name: /^ann/ });
  await row.getByLabel("Role of ann").selectOption("researcher");
  await row.getByRole("button", { name: "Change" }).click();
  await expect(page.getByText("The role has been changed.")).toBeVisible();
  await expect(row.getByLabel("Role of ann")).toHaveValue("researcher");
  await awake(page);
  await row.getByText("Remove…").click();
  await row.getByRole("button", { name: "Remove ann" }).click();
  await expect(row).toHaveCount(0);
  await awake(page);
  const own = page.getByRole("row", { name: /^lea/ });
  await own.getByLabel("Role of lea").selectOption("annotator");
  page.ignoreErrors(/422/);
  await own.getByRole("button", { name: "Change" }).click();
  await expect(own.getByRole("alert")).toContainText("lead");
  page.ignoreErrors(undefined);

  await open(page, server, "/s/river");
  await page.getByText("Close the study…").click();
  await page.getByRole("button", { name: "Close the study" }).click();
  await expect(page.getByText("This study has been closed since")).toBeVisible();
});

test("the lead pages are accessible and fit every screen", async ({ page, server }) => {
  await lead(page, server);
  for (const [path, name] of [
    ["/studies/new", "new-study"],
    ["/s/river", "overview-empty"],
    ["/s/river/sources", "sources-empty"],
    ["/s/river/settings", "settings"],
    ["/s/river/settings/texts", "settings-texts"],
    ["/s/river/settings/scales", "settings-scales"],
    ["/s/river/settings/quality-control", "settings-quality-control"],
    ["/s/river/settings/groups", "settings-groups"],
    ["/s/river/settings/privacy", "settings-privacy"],
    ["/s/river/settings/webhooks", "settings-webhooks"],
    ["/s/river/settings/advanced", "settings-advanced"],
    ["/s/river/assignments", "assignments-empty"],
    ["/s/river/training", "training-empty"],
  ]) {
    await open(page, server, path);
    await accessible(page);
    await shots(page, `lead-${name}`);
  }
});
