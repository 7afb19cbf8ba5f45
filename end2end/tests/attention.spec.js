import { addMember, addPerson, signIn } from "../support/people.js";
import { accessible, awake, expect, open, shots, test } from "../support/test.js";
import { ready, study } from "../support/work.js";

/** Opens the next source of a crowd rater, scores both outputs with these keys, and submits it. */
async function judge(rater, server, keys) {
  await expect(async () => {
    await open(rater, server, "/s/river/work");
    await rater.getByRole("button", { name: "Next source" }).click({ timeout: 1_000 });
    await rater.waitForURL(/\/work\/./, { timeout: 5_000 });
  }).toPass({ timeout: 60_000 });
  await scores(rater, keys);
}

/** Scores the outputs of the open source and submits it; returns what the browser was given of it. */
async function scores(rater, keys) {
  await ready(rater);
  const given = await rater.content();
  for (const key of keys) await rater.keyboard.press(key);
  await expect(rater.getByText("All outputs are rated.")).toBeVisible();
  const here = rater.url();
  await rater.keyboard.press("Control+Enter");
  await rater.waitForURL((url) => url.href !== here);
  return given;
}

test("a crowd rater who fails an attention item is excluded without learning which source it was", async ({
  page,
  server,
  browser,
}) => {
  const outputs = ["Choose the lowest score.", "The ferry stopped."];
  study(server, { template: "likert", own: outputs, sources: 3, overlap: 9, annotators: [] });
  addPerson(server, "a lead");
  addMember(server, "a lead", "river", "lead");
  await signIn(page, server, "a lead");

  await open(page, server, "/s/river/training");
  await page.getByLabel("Source", { exact: true }).fill("s3");
  await page.getByLabel("Purpose").selectOption({ label: "attention item" });
  await page.getByRole("button", { name: "Add" }).click();
  await expect(page.getByText("Source s3 is now an attention item.")).toBeVisible();
  await expect(page.getByText("Raters get none at present")).toBeVisible();
  await expect(page.getByText("No rater has submitted it yet.")).toBeVisible();
  await accessible(page);
  await shots(page, "attention-training-unset");
  await page.getByRole("link", { name: "Expected answers of s3" }).click();
  await expect(page.getByText("Annotators see none of this.")).toBeVisible();
  await expect(page.getByText("within 20 % of the scale (0.8 points)")).toBeVisible();
  await awake(page);
  await page.getByRole("spinbutton", { name: "Rating of output 1" }).fill("1");
  await page.getByRole("button", { name: "Save all" }).click();
  await expect(page.getByText("One expected answer has been saved.")).toBeVisible();
  await accessible(page);
  await shots(page, "attention-expected");

  await open(page, server, "/s/river/settings/quality-control");
  await page.getByLabel("Attention items: sources with known answers").fill("1001");
  await page.getByRole("button", { name: "Save quality control" }).click();
  expect(
    await page.getByLabel("Attention items: sources with known answers").evaluate((it) => it.checkValidity()),
  ).toBe(false);
  await page.getByLabel("Attention items: sources with known answers").fill("2");
  await page.getByRole("button", { name: "Save quality control" }).click();
  await expect(page.getByText("The quality-control items have been saved.")).toBeVisible();
  await accessible(page);
  await shots(page, "attention-settings");

  await open(page, server, "/s/river/settings/texts");
  await page.getByLabel("Information sheet", { exact: true }).fill("You judge short texts.");
  await page.getByRole("button", { name: "Save the texts" }).click();
  await expect(page.getByText("have been saved")).toBeVisible();
  await open(page, server, "/s/river/crowd");
  await page.getByLabel("Crowd raters may begin").check();
  await page.getByLabel("Pause or exclude after … failures").fill("1");
  await page.getByLabel("They are excluded").check();
  await page.getByLabel("Completion code").fill("DONE1");
  await page.getByLabel("Code for failed attention items").fill("FAILED4");
  await page.getByLabel("Code for when all places are taken").fill("FULL3");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("Crowd raters can begin by a link.")).toBeVisible();
  await awake(page);
  await page.getByRole("button", { name: "Make a link" }).click();
  const link = page.locator("a.address");
  await expect(link).toBeVisible();
  const path = new URL(await link.getAttribute("href")).pathname;

  // The item comes after the first or the second source, and answers of 5 are wrong.
  const rater = await (await browser.newContext()).newPage();
  await open(rater, server, `${path}?PROLIFIC_PID=PID-1&STUDY_ID=S&SESSION_ID=T`);
  await rater.getByLabel(/I have read the information sheet/).check();
  await rater.getByRole("button", { name: "Begin" }).click();
  await expect(rater).toHaveURL(/\/s\/river\/work$/);
  await judge(rater, server, "555555");
  let met = "";
  for (let source = 0; source < 2 && /\/work\/./.test(rater.url()); source += 1) {
    const given = await scores(rater, "555555");
    expect(given).not.toMatch(/attention|expected(&quot;|"):\{/i);
    expect(given).toMatch(/Source \d of about 3|Source 3, the last one for now/);
    if (given.includes("It was number 3.")) met = given;
  }
  expect(met).not.toBe("");
  await open(rater, server, "/s/river/work");
  await expect(rater.getByText("Your code is FAILED4")).toBeVisible();
  await accessible(rater);

  await open(page, server, "/s/river/crowd");
  await expect(page.locator("#raters + div tbody tr")).toContainText("excluded: 1 of 1 attention items failed");
  await open(page, server, "/s/river/training");
  await expect(page.getByText("0 of 1 rater passed (0 %).")).toBeVisible();
  await expect(page.getByText("One for every 2 sources of a rater")).toBeVisible();
  await accessible(page);
  await shots(page, "attention-training");
});
