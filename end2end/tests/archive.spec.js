import { addMember, addPerson, settled, signInQuickly } from "../support/people.js";
import { accessible, expect, light, open, shots, test } from "../support/test.js";
import { begin, study } from "../support/work.js";

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? "with JavaScript" : "without JavaScript", () => {
    test.use({ javaScriptEnabled });

    test("a lead archives a study, and takes it out again", async ({ page, server }) => {
      page.ignoreErrors(/422/);
      server.command("study", "create", "river", "--name", "River study");
      server.command("study", "create", "lake", "--name", "Lake study");
      addPerson(server, "lea");
      for (const slug of ["river", "lake"]) addMember(server, "lea", slug, "lead");
      await signInQuickly(page, server, "lea");
      await open(page, server, "/s/river/settings");
      await page.getByText("Archive this study…").click();
      await page.getByRole("button", { name: "Archive the study" }).click();
      await expect(page.getByText("The study has been archived.")).toBeVisible();
      await expect(page.getByText("This study has been archived since")).toBeVisible();
      await expect(page.getByRole("button", { name: "Open again" })).toHaveCount(0);

      await open(page, server, "/");
      await settled(page, javaScriptEnabled);
      const card = page.getByRole("link", { name: "River study", exact: true });
      await expect(page.getByRole("link", { name: "Lake study", exact: true })).toBeVisible();
      await expect(card).toBeHidden();
      await page.getByText("Archived (1)").click();
      await expect(card).toBeVisible();
      if (javaScriptEnabled) {
        await light(page);
        await accessible(page);
        await shots(page, "archived");
      }

      await open(page, server, "/s/river/import");
      await expect(page.getByText("This study is archived.")).toBeVisible();
      await open(page, server, "/s/river/settings/scales");
      await page.getByRole("button", { name: "Save" }).first().click();
      await expect(page.getByText("nothing in it can be changed").first()).toBeVisible();

      await open(page, server, "/s/river");
      await page.getByRole("link", { name: "Take it out of the archive" }).click();
      await page.getByRole("button", { name: "Take it out of the archive" }).press("Enter");
      await expect(page.getByText("This study has been closed since")).toBeVisible();
      await page.getByRole("button", { name: "Open again" }).click();
      await expect(page.getByText("This study has been closed since")).toHaveCount(0);
    });
  });
}

test("annotators and those with a link read that a study is archived", async ({ page, server, browser }) => {
  page.ignoreErrors(/410/);
  study(server);
  addPerson(server, "lea");
  addMember(server, "lea", "river", "lead");
  const lead = await (await browser.newContext()).newPage();
  await signInQuickly(lead, server, "lea");
  await open(lead, server, "/s/river/members");
  await lead.getByRole("button", { name: "Make a link" }).click();
  const link = await lead.getByRole("link", { name: /\/invite\// }).getAttribute("href");
  await begin(page, server);
  const listed = server.command("study", "archive", "river");
  expect(listed).toContain("archived");

  await page.setViewportSize({ width: 360, height: 780 });
  await open(page, server, "/s/river/work");
  await expect(page.getByText("This study is finished and in the archive.")).toBeVisible();
  await expect(page.getByRole("link", { name: /Continue/ })).toHaveCount(0);
  await accessible(page);
  await shots(page, "archived-work");
  await open(lead, server, "/s/river/settings");
  await accessible(lead);
  await shots(lead, "archive-settings");

  await page.goto(link);
  await expect(page.getByText("is archived: nobody can join it")).toBeVisible();
  await accessible(page);
  server.command("study", "unarchive", "river");
  expect(server.command("study", "show", "river")).toContain("closed");
});
