import { addMember, addPerson, signInQuickly } from "../support/people.js";
import { accessible, awake, expect, light, open, shots, test } from "../support/test.js";
import { begin, study } from "../support/work.js";

test("a lead archives a study, annotators read so, and the lead takes it out again", async ({
  page,
  server,
  browser,
}) => {
  study(server);
  server.command("study", "create", "lake", "--name", "Lake study");
  addPerson(server, "lea");
  for (const slug of ["river", "lake"]) addMember(server, "lea", slug, "lead");
  await begin(page, server);
  const lead = await (await browser.newContext()).newPage();
  await signInQuickly(lead, server, "lea");
  await open(lead, server, "/s/river/members");
  await lead.getByRole("button", { name: "Make a link" }).click();
  const link = await lead.getByRole("link", { name: /\/invite\// }).getAttribute("href");
  await open(lead, server, "/s/river/settings");
  await lead.getByText("Archive this study…").click();
  await lead.getByRole("button", { name: "Archive the study" }).click();
  await expect(lead.getByText("The study has been archived.")).toBeVisible();
  await open(lead, server, "/s/river/settings");
  await accessible(lead);
  await shots(lead, "archive-settings");

  await page.setViewportSize({ width: 360, height: 780 });
  await open(page, server, "/s/river/work");
  await expect(page.getByText("This study is finished and in the archive.")).toBeVisible();
  await accessible(page);
  await shots(page, "archived-work");
  page.ignoreErrors(/410/);
  await page.goto(link);
  await expect(page.getByText("is archived: nobody can join it")).toBeVisible();
  page.ignoreErrors(undefined);
  await accessible(page);

  await open(lead, server, "/");
  const card = lead.getByRole("link", { name: "River study", exact: true });
  await expect(lead.getByRole("link", { name: "Lake study", exact: true })).toBeVisible();
  await expect(card).toBeHidden();
  await lead.getByText("Archived (1)").click();
  await expect(card).toBeVisible();
  await light(lead);
  await accessible(lead);
  await shots(lead, "archived");
  await card.click();
  await awake(lead);
  await lead.getByRole("link", { name: "Take it out of the archive" }).click();
  await lead.getByRole("button", { name: "Take it out of the archive" }).press("Enter");
  await expect(lead.getByText("This study has been closed since")).toBeVisible();
  await lead.getByRole("button", { name: "Open again" }).click();
  await expect(lead.getByText("This study has been closed since")).toHaveCount(0);
});
