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

test("a new annotator follows an invitation to their first source, and withdraws", async ({
  page,
  server,
  browser,
}) => {
  study(server);
  addPerson(server, "lead 1");
  addMember(server, "lead 1", "river", "lead");
  const lead = await (await browser.newContext()).newPage();
  await signInQuickly(lead, server, "lead 1");
  await describeStudy(
    lead,
    server,
    "river",
    "# What it is about\n\nYou judge texts.\n\n- a dataset comes of it\n- your name is not in it",
    "# How to judge\n\nA copy scores **50**.\n\nscore | meaning\n--|--\n0 | unusable\n100 | perfect",
  );
  await open(lead, server, "/");
  await accessible(lead);
  await shots(lead, "studies-lead");
  await open(lead, server, "/s/river/members");
  await lead.getByLabel("Number of people").fill("1");
  await lead.getByRole("button", { name: "Make a link" }).click();
  const link = await lead.getByRole("link", { name: /\/invite\// }).getAttribute("href");

  await page.goto(link);
  await awake(page);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Join “The river study”");
  await page.getByLabel("Name", { exact: true }).fill("annotator 1");
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Create an account and join" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Before you begin");
  await awake(page);
  await accessible(page);
  await shots(page, "consent");
  await page.getByRole("button", { name: "I have read this and want to take part" }).click();
  await expect(page.getByRole("button", { name: "Next source" })).toBeVisible();
  await awake(page);
  await accessible(page);
  await shots(page, "work-begin");
  await page.getByRole("link", { name: "Read the guidelines" }).click();
  await expect(page.locator("strong")).toHaveText("50");
  await awake(page);
  await accessible(page);
  await shots(page, "guidelines");
  await page.getByRole("link", { name: "Work" }).click();
  await awake(page);
  await nextSource(page, server);
  await expect(page).toHaveURL(/\/s\/river\/work\/[0-9a-f-]{36}$/);

  await open(page, server, "/s/river/work");
  await expect(page.locator(".queue")).toContainText("1 in progress");
  await page.getByText("Withdraw from this study").click();
  await accessible(page);
  await shots(page, "work");
  await open(page, server, "/");
  await expect(page.getByRole("article")).toContainText("Continue your work");
  await accessible(page);
  await shots(page, "studies-annotator");

  await open(page, server, "/s/river/work");
  await page.getByText("Withdraw from this study").click();
  await page.getByLabel("Yes, I want to withdraw").check();
  await page.getByRole("button", { name: "Withdraw", exact: true }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("You have withdrawn");
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
