import { addMember, addPerson, signInQuickly } from "../support/people.js";
import { accessible, awake, expect, open, shots, test } from "../support/test.js";

/** Creates a study and signs its lead in. */
async function lead(page, server, ...flags) {
  addPerson(server, "lea");
  server.command("study", "create", "river", "--name", "River study", "--lead", "lea", ...flags);
  await signInQuickly(page, server, "lea");
}

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? "with JavaScript" : "without JavaScript", () => {
    test.use({ javaScriptEnabled });

    /** Opens a page, with or without JavaScript. */
    async function go(page, server, path) {
      await page.goto(server.url.replace(/\/$/, "") + path);
      if (javaScriptEnabled) await awake(page);
    }

    test("a lead creates a study, and its settings are saved", async ({ page, server }) => {
      await lead(page, server);
      await go(page, server, "/studies/new");
      await page.getByLabel("Name", { exact: true }).fill("Harbour study, part 2");
      await page.getByLabel("Annotators for each source").fill("2");
      await page.getByText("Advanced", { exact: true }).click();
      await expect(page.getByLabel("Add quality-control items")).toBeChecked();
      await page.getByLabel("As the paper states it").check();
      await page.getByLabel("Threshold").fill("");
      await page.getByRole("button", { name: "Create the study" }).click();
      await expect(page).toHaveURL(/\/s\/harbour-study-part-2$/);
      await expect(page.getByRole("heading", { level: 1 })).toHaveText("Harbour study, part 2");
      await expect(page.getByRole("link", { name: "Import sources" })).toBeVisible();

      await go(page, server, "/s/harbour-study-part-2/settings");
      await expect(page.getByLabel("Annotators for each source")).toHaveValue("2");
      await page.getByLabel("when a lead approves", { exact: true }).check();
      await page.getByText("More settings").click();
      await page.getByLabel("Hours until").fill("48");
      await page.getByRole("button", { name: "Save" }).click();
      await expect(page.getByText("The settings have been saved.")).toBeVisible();
      await expect(page.getByLabel("when a lead approves", { exact: true })).toBeChecked();
      await expect(page.getByLabel("Hours until")).toHaveValue("48");

      const pages = page.getByRole("navigation", { name: "Settings" });
      await pages.getByRole("link", { name: "Texts" }).click();
      await expect(pages.getByRole("link", { name: "Texts" })).toHaveAttribute("aria-current", "page");
      if (javaScriptEnabled) await awake(page);
      await page.getByLabel("Guidelines", { exact: true }).fill("# Be fair\n\nA copy scores 50.");
      await page.getByRole("button", { name: "Save the texts" }).click();
      await expect(page.getByText("The texts have been saved.")).toBeVisible();
      await go(page, server, "/s/harbour-study-part-2/settings/texts");
      await expect(page.getByLabel("Guidelines", { exact: true })).toHaveValue("# Be fair\n\nA copy scores 50.");

      await go(page, server, "/s/harbour-study-part-2/settings/scales");
      await page.getByLabel("Name of dimension 2").fill("fluency");
      await page.getByLabel("Worst of dimension 2").fill("-2");
      await page.getByLabel("Best of dimension 2").fill("2");
      await page.getByRole("button", { name: "Save the dimensions" }).click();
      await expect(page.getByText("The dimensions have been saved.")).toBeVisible();
      await expect(page.getByLabel("Best of dimension 2")).toHaveValue("2");

      await go(page, server, "/s/harbour-study-part-2/settings/advanced");
      await expect(page.getByLabel("As the paper states it")).toBeChecked();
      await expect(page.getByLabel("Threshold")).toHaveValue("0.5");
      await page.getByLabel("Tuned to the released labels").check();
      await page.getByLabel("Threshold").fill("0.65");
      await page.getByRole("button", { name: "Save and re-categorise" }).click();
      await expect(page.getByText("No output changed its category")).toBeVisible();
      await expect(page.getByLabel("Threshold")).toHaveValue("0.65");

      await go(page, server, "/s/harbour-study-part-2/settings/quality-control");
      await expect(page.getByLabel("An unchanged copy")).toHaveValue("10");
      await page.getByLabel("An unchanged copy").fill("5");
      await page.getByRole("button", { name: "Save quality control" }).click();
      await expect(page.getByText("The quality-control items have been saved.")).toBeVisible();
      await expect(page.getByLabel("An unchanged copy")).toHaveValue("5");
    });

    test("a lead makes an invitation and revokes it", async ({ page, server }) => {
      await lead(page, server);
      await go(page, server, "/s/river/members");
      await page.getByLabel("Label").fill("Spring course");
      await page.getByLabel("Number of people").fill("12");
      await page.getByRole("button", { name: "Make a link" }).click();
      const link = page.getByRole("link", { name: /\/invite\// });
      await expect(link).toBeVisible();
      const row = page.getByRole("row", { name: /Spring course/ });
      await expect(row).toContainText("works for 12 more people");
      await go(page, server, "/s/river/members");
      await expect(link).toHaveCount(0);
      await row.getByRole("button", { name: "Revoke" }).click();
      await expect(row).toContainText("revoked");
      await expect(row.getByRole("button")).toHaveCount(0);
    });

    test("a lead changes a role and removes a member", async ({ page, server }) => {
      await lead(page, server);
      addPerson(server, "ann");
      addMember(server, "ann", "river", "annotator");
      await go(page, server, "/s/river/members");
      const row = page.getByRole("row", { name: /^ann/ });
      await row.getByLabel("Role of ann").selectOption("researcher");
      await row.getByRole("button", { name: "Change" }).click();
      await expect(page.getByText("The role has been changed.")).toBeVisible();
      await expect(row.getByLabel("Role of ann")).toHaveValue("researcher");
      if (javaScriptEnabled) await awake(page);
      await row.getByText("Remove…").click();
      await row.getByRole("button", { name: "Remove ann" }).click();
      await expect(row).toHaveCount(0);
    });

    test("a lead closes a study and opens it again", async ({ page, server }) => {
      await lead(page, server);
      await go(page, server, "/s/river");
      await page.getByText("Close the study…").click();
      await page.getByRole("button", { name: "Close the study" }).click();
      await expect(page.getByText("This study has been closed since")).toBeVisible();
      if (javaScriptEnabled) await awake(page);
      await page.getByRole("button", { name: "Open again" }).click();
      await expect(page.getByText("This study has been closed since")).toHaveCount(0);
    });
  });
}

test("the last lead cannot give up the role, and sees why", async ({ page, server }) => {
  page.ignoreErrors(/422/);
  await lead(page, server);
  await open(page, server, "/s/river/members");
  const row = page.getByRole("row", { name: /^lea/ });
  await row.getByLabel("Role of lea").selectOption("annotator");
  await row.getByRole("button", { name: "Change" }).click();
  await expect(row.getByRole("alert")).toContainText("lead");
});

test("guidelines are previewed as annotators see them, without scripts", async ({ page, server }) => {
  await lead(page, server);
  await open(page, server, "/s/river/settings/texts");
  const text = "# Be *fair*\n\n<script>alert(1)</script><img src=x onerror=alert(1)>";
  await page.getByLabel("Guidelines", { exact: true }).fill(text);
  await page.getByRole("button", { name: "Preview" }).first().click();
  const preview = page.getByRole("region", { name: "The guidelines as annotators see them" });
  await expect(preview.getByRole("heading", { name: "Be fair" })).toBeVisible();
  await expect(preview.locator("script, img")).toHaveCount(0);
});

test("the lead pages are accessible and fit every screen", async ({ page, server }) => {
  await lead(page, server);
  for (const name of ["ann", "bea"]) {
    addPerson(server, name);
    addMember(server, name, "river", "annotator");
  }
  await open(page, server, "/s/river/members");
  await page.getByRole("button", { name: "Make a link" }).click();
  await expect(page.getByRole("link", { name: /\/invite\// })).toBeVisible();
  await accessible(page);
  await shots(page, "lead-members");
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

/** Each server function for leads, with fields that are valid for a lead. */
const nobody = "00000000-0000-7000-8000-000000000000";
const slug = "river";
const leadsOnly = {
  "describe-study": { slug, guidelines: "", information: "" },
  "set-general": { slug, name: "Other", overlap: "3", lease_hours: "72", qualification: "none" },
  "set-dimensions": {
    slug,
    "dimensions[0][name]": "overall",
    "dimensions[0][low]": "0",
    "dimensions[0][high]": "100",
  },
  "set-groups": { slug, "groups[0][name]": "Experts", "groups[0][overlap]": "2" },
  "set-member-group": { slug, person: nobody, group: "" },
  "set-protocol": { slug, rating: "rank", layout: "steps", outputs: "all" },
  "set-questions": {
    slug,
    "questions[0][text]": "Why?",
    "questions[0][kind]": "text",
    "questions[0][about]": "output",
  },
  "add-written": { slug },
  "start-experiment": { slug, "protocols[0]": "likert" },
  "update-experiment": { slug },
  "set-span-types": { slug, "types[0][name]": "Error", "types[0][sides]": "output" },
  "train-aligner": { slug },
  "adopt-aligner": { slug, model: nobody, adopted: "yes" },
  "cancel-aligner-training": { slug, job: nobody },
  "set-category-rule": { slug, category_rule: "tuned" },
  "set-quality-control": { slug, copy_every: "0", scrambled_every: "0", repeated_every: "0", attention_every: "0" },
  "close-study": { slug },
  "archive-study": { slug },
  "unarchive-study": { slug },
  "reopen-study": { slug },
  "add-webhook": { slug, address: "https://hooks.example.org/", job_ended: "yes" },
  "change-webhook": { slug, webhook: nobody, address: "https://hooks.example.org/", job_ended: "yes" },
  "pause-webhook": { slug, webhook: nobody, pause: "yes" },
  "renew-webhook-secret": { slug, webhook: nobody },
  "send-test-notice": { slug, webhook: nobody },
  "send-notice-again": { slug, webhook: nobody, number: "1" },
  "remove-webhook": { slug, webhook: nobody },
  invite: { slug, role: "annotator", uses: "1", days: "1" },
  "revoke-invitation": { slug, invitation: "none" },
  "set-role": { slug, person: nobody, role: "annotator" },
  "remove-member": { slug, person: nobody },
  admit: { slug, person: nobody },
  release: { slug, assignment: nobody },
  reassign: { slug, assignment: nobody, to: nobody },
  "set-purpose": { slug, source: "1", purpose: "training" },
  "set-own-overlap": { slug, source: nobody, overlap: "10" },
  "move-source": { slug, source: nobody, direction: "up" },
  "set-expected": { slug, source: nobody, output: nobody },
};

test("people who do not lead the study are refused everywhere", async ({ playwright, server }) => {
  addPerson(server, "lea");
  server.command("study", "create", slug, "--lead", "lea");
  for (const [name, role] of [
    ["ann", "annotator"],
    ["rob", "researcher"],
  ]) {
    addPerson(server, name);
    addMember(server, name, slug, role);
  }
  addPerson(server, "stranger");
  const pages = ["", "/sources", "/members", "/crowd", "/assignments", "/settings", "/settings/texts", "/training"];
  pages.push("/settings/webhooks");
  for (const [name, status, may] of [
    [null, 401, []],
    ["stranger", 404, []],
    ["ann", 403, []],
    ["rob", 403, ["", "/sources"]],
    ["lea", 0, pages],
  ]) {
    const request = await playwright.request.newContext({ baseURL: server.url });
    const headers = { accept: "application/json", origin: new URL(server.url).origin };
    if (name) {
      const form = { name, password: "correct horse battery", next: "" };
      expect((await request.post("api/log-in", { form, headers })).ok()).toBe(true);
    }
    for (const [endpoint, form] of Object.entries(leadsOnly)) {
      const answer = await request.post(`api/${endpoint}`, { form, headers, maxRedirects: 0 });
      const said = `${endpoint} by ${name}: ${await answer.text()}`;
      if (status) expect(answer.status(), said).toBe(status);
      else expect([200, 302, 303, 404, 422], said).toContain(answer.status());
    }
    for (const path of pages) {
      const answer = await request.get(`s/${slug}${path}`, { maxRedirects: 0 });
      const expected = may.includes(path) ? 200 : status === 401 ? 303 : status;
      expect(answer.status(), `${path || "overview"} by ${name}`).toBe(expected);
    }
    await request.dispose();
  }
});

test("invalid input is refused with a sentence", async ({ page, server }) => {
  await lead(page, server);
  const made = { template: "likert", overlap: "3", category_rule: "tuned" };
  for (const [endpoint, form, sentence] of [
    ["create-study", { ...made, name: "" }, "The name is missing"],
    ["create-study", { ...made, name: "研究" }, "Enter a short name"],
    ["create-study", { ...made, name: "River", short_name: "river" }, "is taken"],
    ["create-study", { ...made, name: "Lake", template: "other" }, "is not a template"],
    ["set-protocol", { ...leadsOnly["set-protocol"], rating: "other" }, "Choose how annotators judge outputs"],
    ["set-general", { ...leadsOnly["set-general"], overlap: "0" }, "a whole number from 1 to 100"],
    ["set-category-rule", { slug, category_rule: "tuned", category_threshold: "2" }, "from 0 to 1"],
    ["set-category-rule", { slug, category_rule: "other" }, "is not a category rule"],
    ["set-dimensions", { slug, "dimensions[0][name]": "" }, "Name at least one dimension"],
    ["set-groups", { slug, "groups[0][name]": "Experts", "groups[0][overlap]": "0" }, "a whole number from 1 to 100"],
    ["set-groups", { slug, "groups[0][name]": "A", "groups[1][name]": "a" }, "two groups are called"],
    ["invite", { slug, role: "annotator", uses: "1", days: "1", group: "none" }, "no such group"],
    ["invite", { slug, role: "admin", uses: "1", days: "1" }, "is not a role"],
    ["set-purpose", { slug, source: "1", purpose: "training" }, "no source called"],
    ["set-own-overlap", { slug, source: nobody, overlap: "0" }, "a whole number from 1 to 100"],
  ]) {
    const headers = { accept: "application/json" };
    const answer = await page.request.post(`${server.url}api/${endpoint}`, { form, headers });
    expect(answer.status(), endpoint).toBe(422);
    expect((await answer.json()).invalid).toContain(sentence);
  }
});
