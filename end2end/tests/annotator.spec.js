import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { addMember, addPerson, password, signInQuickly } from "../support/people.js";
import { accessible, awake, expect, open, shots, test } from "../support/test.js";

/** A study with two sources of two outputs each. */
function study(server, slug = "river") {
  server.command("study", "create", slug, "--name", `The ${slug} study`, "--overlap", "2");
  const rows = [1, 2].flatMap((source) =>
    [1, 2].map((system) =>
      JSON.stringify({
        source: `The boat number ${source} crossed the wide river before the storm began.`,
        output: `Boat ${source} crossed the river. Then came storm ${system}.`,
        system: `system ${system}`,
      }),
    ),
  );
  const file = join(server.data, `${slug}.jsonl`);
  writeFileSync(file, `${rows.join("\n")}\n`);
  server.command("import", slug, "--format", "jsonl", file);
}

/** Writes the information sheet and the guidelines, as the lead. */
async function describeStudy(page, server, slug, information, guidelines) {
  await open(page, server, `/s/${slug}/settings/texts`);
  await page.getByLabel("Information sheet", { exact: true }).fill(information);
  await page.getByLabel("Guidelines", { exact: true }).fill(guidelines);
  await page.getByRole("button", { name: "Save the texts" }).click();
  await expect(page.getByText("The texts have been saved.")).toBeVisible();
}

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? "with JavaScript" : "without JavaScript", () => {
    test.use({ javaScriptEnabled });
    const ready = (page) => javaScriptEnabled && awake(page);
    const visit = async (page, server, path) => {
      const response = await page.goto(server.url.replace(/\/$/, "") + path);
      await ready(page);
      return response;
    };

    test("a new annotator follows an invitation to their first source", async ({ page, server, browser }) => {
      study(server);
      addPerson(server, "lead 1");
      addMember(server, "lead 1", "river", "lead");
      const leads = await browser.newContext();
      const lead = await leads.newPage();
      await signInQuickly(lead, server, "lead 1");
      await describeStudy(lead, server, "river", "# What becomes of it\n\nA dataset.", "Be *fair*.");
      await open(lead, server, "/s/river/members");
      await lead.getByLabel("Number of people").fill("1");
      await lead.getByRole("button", { name: "Make a link" }).click();
      const link = await lead.getByRole("link", { name: /\/invite\// }).getAttribute("href");
      await leads.close();

      await visit(page, server, new URL(link).pathname);
      await expect(page.getByRole("heading", { level: 1 })).toHaveText("Join “The river study”");
      await expect(page.getByText("an annotator", { exact: true })).toBeVisible();
      await page.getByLabel("Name", { exact: true }).fill("annotator 1");
      await page.getByLabel("Password", { exact: true }).fill(password);
      await page.getByRole("button", { name: "Create an account and join" }).click();

      await expect(page.getByRole("heading", { level: 1 })).toHaveText("Before you begin");
      await expect(page.getByRole("heading", { name: "What becomes of it" })).toBeVisible();
      await ready(page);
      await page.getByRole("button", { name: "I have read this and want to take part" }).click();
      await expect(page.getByRole("heading", { level: 1 })).toHaveText("The river study");
      await ready(page);
      await page.getByRole("link", { name: "Read the guidelines" }).click();
      await expect(page.locator("em")).toHaveText("fair");
      await page.getByRole("link", { name: "Work" }).click();
      await ready(page);
      await nextSource(page, server);
      await expect(page).toHaveURL(/\/s\/river\/work\/[0-9a-f-]{36}$/);

      await visit(page, server, "/s/river/work");
      await expect(page.locator(".queue")).toContainText("1 in progress");
      await expect(page.locator(".queue")).toContainText("0 submitted");
      await expect(page.getByText("Everything you did is saved.")).toBeVisible();
      await expect(page.getByRole("link", { name: "Continue with the source you have begun" })).toBeVisible();
      await visit(page, server, "/");
      await expect(page.getByRole("article")).toContainText("Continue your work");
    });

    test("a person joins with their account, and a used-up link says so", async ({ page, server, browser }) => {
      page.ignoreErrors(/410/);
      study(server);
      for (const name of ["lead 1", "annotator 1"]) addPerson(server, name);
      addMember(server, "lead 1", "river", "lead");
      const leads = await browser.newContext();
      const lead = await leads.newPage();
      await signInQuickly(lead, server, "lead 1");
      await open(lead, server, "/s/river/members");
      await lead.getByLabel("Number of people").fill("1");
      await lead.getByRole("button", { name: "Make a link" }).click();
      const address = await lead.getByRole("link", { name: /\/invite\// }).getAttribute("href");
      await leads.close();

      const link = new URL(address).pathname;
      await visit(page, server, link);
      await page.getByRole("link", { name: "sign in to join with it" }).click();
      await ready(page);
      await page.getByLabel("Name", { exact: true }).fill("annotator 1");
      await page.getByLabel("Password", { exact: true }).fill(password);
      await page.getByRole("main").getByRole("button", { name: "Sign in" }).click();
      await expect(page).toHaveURL(new RegExp(`${link}$`));
      await ready(page);
      await page.getByRole("button", { name: "Join as annotator 1" }).click();
      await expect(page).toHaveURL(/\/s\/river\/work$/);

      const used = await visit(page, server, link);
      expect(used.status()).toBe(410);
      await expect(page.getByText("has been used up")).toBeVisible();
      const unknown = await visit(page, server, "/invite/nothing");
      expect(unknown.status()).toBe(410);
      await expect(page.getByText("This link is not known")).toBeVisible();
    });

    test("an annotator withdraws after confirming", async ({ page, server }) => {
      study(server);
      addPerson(server, "annotator 1");
      addMember(server, "annotator 1", "river", "annotator");
      await signInQuickly(page, server, "annotator 1");
      await visit(page, server, "/s/river/work");
      await nextSource(page, server);
      await expect(page).toHaveURL(/\/work\/[0-9a-f-]{36}$/);
      await visit(page, server, "/s/river/work");
      await page.getByText("Withdraw from this study").click();
      await page.getByLabel("Yes, I want to withdraw").check();
      await page.getByRole("button", { name: "Withdraw" }).click();
      await expect(page.getByRole("heading", { level: 1 })).toHaveText("You have withdrawn");
      await visit(page, server, "/s/river/work");
      await expect(page.getByRole("button", { name: "Next source" })).toHaveCount(0);
    });
  });
}

test("people outside a study see nothing of it", async ({ page, server }) => {
  page.ignoreErrors(/40[34]/);
  study(server, "river");
  study(server, "harbour");
  addPerson(server, "annotator 1");
  addMember(server, "annotator 1", "river", "annotator");
  await signInQuickly(page, server, "annotator 1");
  for (const path of ["", "/work", "/guidelines", "/sources", "/members", "/settings", "/export"]) {
    const response = await open(page, server, `/s/harbour${path}`);
    expect(response.status(), path).toBe(404);
    await expect(page.getByText("The harbour study")).toHaveCount(0);
  }
  const call = await page.request.post(`${server.url}api/next-source`, {
    form: { slug: "harbour" },
    headers: { accept: "application/json" },
  });
  expect(call.status()).toBe(404);
  await open(page, server, "/");
  await expect(page.getByRole("article")).toHaveCount(1);
});

test("the annotator pages are accessible", async ({ page, server }) => {
  study(server);
  addPerson(server, "lead 1");
  addMember(server, "lead 1", "river", "lead");
  await signInQuickly(page, server, "lead 1");
  await describeStudy(
    page,
    server,
    "river",
    "# What it is about\n\nYou judge texts.\n\n- a dataset comes of it\n- your name is not in it",
    "# How to judge\n\nA copy scores **50**.\n\nscore | meaning\n--|--\n0 | unusable\n100 | perfect",
  );
  await open(page, server, "/");
  await accessible(page);
  await shots(page, "studies-lead");
  await page.getByRole("button", { name: "Sign out" }).click();

  addPerson(server, "annotator 1");
  addMember(server, "annotator 1", "river", "annotator");
  await signInQuickly(page, server, "annotator 1");
  await open(page, server, "/s/river/work");
  await accessible(page);
  await shots(page, "consent");
  await page.getByRole("button", { name: "I have read this and want to take part" }).click();
  await expect(page.getByRole("button", { name: "Next source" })).toBeVisible();
  await awake(page);
  await accessible(page);
  await shots(page, "work-begin");
  await nextSource(page, server);
  await expect(page).toHaveURL(/\/work\/[0-9a-f-]{36}$/);
  await open(page, server, "/s/river/work");
  await page.getByText("Withdraw from this study").click();
  await accessible(page);
  await shots(page, "work");
  await open(page, server, "/s/river/guidelines");
  await accessible(page);
  await shots(page, "guidelines");
  await open(page, server, "/");
  await accessible(page);
  await shots(page, "studies-annotator");
});

/** Goes to the next source, once its highlights are ready. */
async function nextSource(page, server) {
  const button = page.getByRole("button", { name: "Next source" });
  await expect(async () => {
    if (!(await button.isVisible())) await page.goto(new URL("s/river/work", server.url).href);
    await expect(button).toBeVisible({ timeout: 1_000 });
  }).toPass({ timeout: 60_000 });
  await button.click();
}
