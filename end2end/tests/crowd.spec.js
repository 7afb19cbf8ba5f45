import { addMember, addPerson, signIn } from "../support/people.js";
import { accessible, awake, expect, open, shots, test } from "../support/test.js";
import { ready, study } from "../support/work.js";

const outputs = ["The ferry stopped running.", "The ferry stopped."];

/** Opens the study to crowd raters on the lead's page; returns the path of a link. */
async function setUp(page, server, questions) {
  study(server, { template: "likert", own: outputs, sources: 2, overlap: 9, annotators: [] });
  addPerson(server, "a lead");
  addMember(server, "a lead", "river", "lead");
  await signIn(page, server, "a lead");
  await open(page, server, "/s/river/settings/texts");
  await page.getByLabel("Information sheet", { exact: true }).fill("You judge *short* texts.");
  await page.getByRole("button", { name: "Save the texts" }).click();
  await expect(page.getByText("have been saved")).toBeVisible();
  await open(page, server, "/s/river/crowd");
  await page.getByLabel("Crowd raters may begin").check();
  await page.getByLabel("Only people sent by the platform").check();
  await page.getByLabel("Sources for each").fill("1");
  await page.getByLabel("Screening questions").fill(questions);
  await page.getByLabel("Completion code").fill("DONE1");
  await page.getByLabel("Code for people who are screened out").fill("OUT2");
  await page.getByLabel("Code for when all places are taken").fill("FULL3");
  await page.getByLabel("Link at the end").fill("https://app.prolific.example/complete?cc={code}");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("Crowd raters can begin by a link.")).toBeVisible();
  await awake(page);
  await page.getByRole("button", { name: "Make a link" }).click();
  const link = page.locator("a.address");
  await expect(link).toBeVisible();
  return new URL(await link.getAttribute("href")).pathname;
}

/** Presses Tab until the element has the focus. */
async function tabTo(page, element) {
  for (let step = 0; step < 60; step += 1) {
    if (await element.evaluate((it) => it === document.activeElement)) return;
    await page.keyboard.press("Tab");
  }
  throw new Error("no focus");
}

test("a crowd rater comes by a link and gets a code, by keyboard and on a phone", async ({ page, server, browser }) => {
  const link = await setUp(page, server, "First language | + English = 1 | I do not want to say");

  const context = await browser.newContext({ viewport: { width: 390, height: 800 } });
  const rater = await context.newPage();
  await open(rater, server, `${link}?PROLIFIC_PID=PID-1&STUDY_ID=S&SESSION_ID=T`);
  await expect(rater.getByRole("region", { name: "Information sheet" }).locator("em")).toHaveText("short");
  await accessible(rater);
  await shots(rater, "crowd-start");
  await tabTo(rater, rater.getByLabel("First language"));
  await rater.keyboard.type("English");
  await tabTo(rater, rater.getByLabel(/I have read the information sheet/));
  await rater.keyboard.press("Space");
  await tabTo(rater, rater.getByRole("button", { name: "Begin" }));
  await rater.keyboard.press("Enter");
  await expect(rater).toHaveURL(/\/s\/river\/work$/);
  await awake(rater);
  await expect(rater.getByRole("button", { name: "Sign out" })).toHaveCount(0);
  await rater.getByText("Continue in another browser").click();
  const address = await rater.locator("details code.address").textContent();
  const resume = new URL(address).pathname;
  await accessible(rater);
  await shots(rater, "crowd-work");

  // The study's own work, as for every annotator. New imports are held back until they are aligned.
  const next = rater.getByRole("button", { name: "Next source" });
  await expect(async () => {
    await open(rater, server, "/s/river/work");
    await expect(next).toBeVisible({ timeout: 1_000 });
  }).toPass({ timeout: 60_000 });
  await tabTo(rater, next);
  await rater.keyboard.press("Enter");
  await rater.waitForURL(/\/work\/./);
  await ready(rater);
  for (const key of "543543") await rater.keyboard.press(key);
  await expect(rater.getByText("All outputs are rated.")).toBeVisible();
  await rater.keyboard.press("Control+Enter");
  await expect(rater).toHaveURL(/\/s\/river\/work$/);
  await awake(rater);
  await expect(rater.getByText("You are done")).toBeVisible();
  await accessible(rater);
  await shots(rater, "crowd-finish");
  await tabTo(rater, rater.getByLabel(/anything you would like to tell us/));
  await rater.keyboard.type("Clear texts.");
  await tabTo(rater, rater.getByRole("button", { name: "Finish" }));
  await rater.keyboard.press("Enter");
  await expect(rater.getByText("Your code is DONE1")).toBeVisible();
  await expect(rater.getByRole("link", { name: "Return to the platform" })).toHaveAttribute(
    "href",
    "https://app.prolific.example/complete?cc=DONE1",
  );
  await accessible(rater);
  await shots(rater, "crowd-end");

  // Another browser with the same ID sees nothing of it; with the address that was shown it sees the same end.
  const again = await (await browser.newContext()).newPage();
  await open(again, server, `${link}?PROLIFIC_PID=PID-1`);
  await expect(again.getByRole("heading", { name: "You began in another browser" })).toBeVisible();
  await accessible(again);
  await open(again, server, resume);
  await again.getByRole("button", { name: "Continue" }).click();
  await expect(again.getByText("Your code is DONE1")).toBeVisible();

  // The one place for this answer is taken; another answer is not accepted.
  for (const [id, answer, code] of [
    ["PID-2", "English", "FULL3"],
    ["PID-3", "I do not want to say", "OUT2"],
  ]) {
    const other = await (await browser.newContext()).newPage();
    await open(other, server, `${link}?PROLIFIC_PID=${id}`);
    await other.getByLabel("First language").selectOption(answer);
    await other.getByLabel(/I have read the information sheet/).check();
    await other.getByRole("button", { name: "Begin" }).click();
    await expect(other.getByText(`Your code is ${code}`)).toBeVisible();
    await accessible(other);
  }

  await open(page, server, "/s/river/crowd");
  const rows = page.locator("#raters + div tbody tr");
  await expect(rows).toHaveCount(3);
  await expect(rows.nth(0)).toContainText("PID-1");
  await expect(rows.nth(0)).toContainText("finished");
  await expect(rows.nth(1)).toContainText("came when all places were taken");
  await expect(rows.nth(2)).toContainText("screened out");
  await expect(page.getByText("Clear texts.")).toBeVisible();
  await accessible(page);
  await shots(page, "crowd-lead");
  const [sheet] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("link", { name: "Download the pay sheet" }).click(),
  ]);
  expect(sheet.suggestedFilename()).toBe("river-pay.csv");
  await open(page, server, "/s/river/members");
  await expect(page.getByRole("row", { name: /crowd rater/ })).toContainText("code DONE1");
  await accessible(page);
});
