import { test } from "../support/demonstration.js";
import { addMember, addPerson, signInQuickly } from "../support/people.js";
import { accessible, awake, expect, open, shots } from "../support/test.js";
import { begin, ready, saved, step, study, type } from "../support/work.js";

/** The output of the tutorial that the automatic category is wrong for. */
const misplaced = "The weekly market is now at the station square";

/** Signs an annotator of the demonstration in who has agreed to take part. */
async function newcomer(page, server) {
  addPerson(server, "ann");
  addMember(server, "ann", "demo", "annotator");
  await signInQuickly(page, server, "ann");
  await open(page, server, "/s/demo/work");
  await page.getByRole("button", { name: "I have read this and want to take part" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Demonstration");
  await awake(page);
}

/** Begins the tutorial from the guidelines. */
async function beginTutorial(page) {
  await page.getByRole("link", { name: "Read the guidelines" }).click();
  await awake(page);
  await page.getByRole("button", { name: "Begin the tutorial" }).click();
  await expect(page).toHaveURL(/\/work\/[0-9a-f-]{36}$/);
  await ready(page);
}

/** The row of step 3 whose output contains a text. */
const row = (page, text) => page.locator(".row", { has: page.getByRole("button", { name: text }) });

const primary = (page) => page.locator(".work-foot button.primary");

/** Scores the outputs that contain these texts. */
async function score(page, scores) {
  for (const [text, value] of scores) await type(row(page, text), value);
  await saved(page);
}

test("guidelines come first, and the tutorial answers each try", async ({ page, server }) => {
  await newcomer(page, server);
  const stages = page.locator(".stages li");
  await expect(stages.first()).toContainText("Read the guidelines");
  await expect(stages.first()).toHaveAttribute("aria-current", "step");
  await accessible(page);
  await shots(page, "first-day-begin");
  await beginTutorial(page);

  const wrong = page.locator(".callout.wrong");
  await expect(page.getByText("Tutorial, step 1")).toBeVisible();
  await expect(wrong).toHaveCount(0);
  // The first time, wanting to continue shows what is wrong.
  await primary(page).click();
  await expect(wrong).toHaveCount(1);
  await expect(wrong).toContainText("it belongs in Paraphrase. Move it there, or press 3.");
  const chip = page.getByRole("button", { name: misplaced });
  await expect(chip).toBeFocused();
  await accessible(page);
  await shots(page, "tutorial-categorise");
  // A move to another wrong category is a try, too.
  await page.keyboard.press("1");
  await expect(wrong).toHaveCount(1);
  await page.keyboard.press("3");
  await expect(wrong).toHaveCount(0);
  const right = page.locator(".callout.right");
  await expect(right).toHaveCount(6);
  await expect(page.locator("li", { has: chip }).locator(right)).toHaveText("Right: it belongs in Paraphrase.");

  await primary(page).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Check edits");
  await expect(page.getByText("Tutorial, step 2")).toBeVisible();
  await primary(page).click();
  await expect(page.getByText("Tutorial, step 3")).toBeVisible();
  await expect(page.locator(".callout:is(.right, .wrong)")).toHaveCount(0);
  // On a phone too, the words about the score are not behind the source, though the next row has the focus.
  const size = page.viewportSize();
  await page.setViewportSize({ width: 390, height: 700 });
  await type(row(page, misplaced), 10);
  await page.keyboard.press("Enter");
  await expect(wrong).toBeInViewport({ ratio: 1 });
  const below = async () => {
    const [words, source] = [await wrong.boundingBox(), await page.locator(".source").first().boundingBox()];
    return words.y - (source.y + source.height);
  };
  await expect.poll(below).toBeGreaterThanOrEqual(0);
  await page.screenshot({ path: "shots/tutorial-phone.png" });
  await page.setViewportSize(size);
  await expect(wrong).toContainText("Too low, off by 56: expected 66 to 90.");
  await expect(row(page, misplaced).locator(".expected-range")).toHaveClass(/shown/);
  await accessible(page);
  await shots(page, "tutorial-rate");
  await type(row(page, misplaced), 80);
  await expect(wrong).toHaveCount(0);
  await expect(page.locator(".callout.right")).toContainText("Right: expected 66 to 90.");
});

test("a submitted training shows what was right and how far off the rest is", async ({ page, server }) => {
  await newcomer(page, server);
  await beginTutorial(page);
  const step = page.getByRole("navigation", { name: "Steps" }).getByRole("button", { name: "Rank & rate" });
  await step.click();
  // Held back once: one output is in the wrong category.
  await step.click();
  await score(page, [
    ["was moved to the station square. The old streets", 85],
    ["which brings visitors", 80],
    ["was relocated to the station square.", 55],
    ["which attracts visitors", 40],
    ["The station was moved", 15],
    [misplaced, 78],
  ]);
  await primary(page).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Categorise");
  await ready(page);
  await expect(page.locator(".count")).toHaveText("Training 1 of 1");
  await page.getByRole("navigation", { name: "Steps" }).getByRole("button", { name: "Rank & rate" }).click();
  await score(page, [
    ["The harbour got electric lights", 88],
    ["beacons. The lighthouse", 66],
    ["When the harbour had", 70],
    [": The lighthouse was converted", 50],
    ["Once the harbour had been equipped", 71],
  ]);
  await expect(page.locator(".callout")).toHaveCount(0);
  await primary(page).click();
  await expect(page.getByText("Scores: 4 of 5 within range.")).toBeVisible();
  await ready(page);
  const off = row(page, "Once the harbour had been equipped");
  await expect(off.locator(".callout.wrong")).toContainText("Too high, off by 56: expected 0 to 15.");
  await expect(page.locator(".row .callout.right")).toHaveCount(4);
  await expect(page.locator(".expected-range.shown")).toHaveCount(5);
  // Nothing invites to change what can no longer be changed.
  await expect(page.getByRole("button", { name: "Sort by score" })).toHaveCount(0);
  await accessible(page);
  await shots(page, "training-feedback");
});

test("the meaning of a score stands beside the focused slider, and a source is paused and continued", async ({
  page,
  server,
}) => {
  await newcomer(page, server);
  await beginTutorial(page);
  const step = page.getByRole("navigation", { name: "Steps" }).getByRole("button", { name: "Rank & rate" });
  await step.click();
  await step.click();
  const first = page.locator(".row").first();
  const words = first.locator(".anchor");
  await first.getByRole("slider").focus();
  await expect(words).toHaveCount(0);
  await page.keyboard.press("ArrowUp");
  await expect(words).toHaveText(/^50–69: gets the main point/);
  await expect(words).toBeVisible();
  await page.keyboard.press("End");
  await expect(words).toHaveText(/^90–100: understands at once/);
  // Else it would be cut off at the edge of its row, which no other check sees.
  await expect(first).toHaveCSS("content-visibility", "visible");
  await accessible(page);
  // The next row's slider, which comes next, stays in sight.
  const [hint, next] = [await words.boundingBox(), await page.getByRole("slider").nth(1).boundingBox()];
  expect(hint.y + hint.height).toBeLessThanOrEqual(next.y);
  await page.screenshot({ path: "shots/score-anchor.png" });
  await page.keyboard.press("Escape");
  await expect(words).toBeHidden();

  await saved(page);
  await page.getByRole("link", { name: "Pause" }).click();
  await expect(page).toHaveURL(/\/s\/demo\/work$/);
  await expect(page.locator(".queue")).toContainText("1 in progress");
  await expect(page.locator(".stages li").first()).toContainText("done");
  await accessible(page);
  await shots(page, "first-day-paused");
  await page.locator(".queue").getByRole("link", { name: "1 in progress" }).click();
  await ready(page);
  await expect(page.locator(".count")).toHaveText("Tutorial 1 of 1");
});

test("a tutorial teaches edits: what is missing is said after the annotator's own correction", async ({
  page,
  server,
}) => {
  const own = ["The old ferry was withdrawn after inspectors discovered corrosion."];
  study(server, { own, sources: 2, overlap: 9 });
  addMember(server, "lea", "river", "lead");
  await signInQuickly(page, server, "lea");
  await open(page, server, "/s/river/training");
  await page.getByLabel("Source", { exact: true }).fill("s1");
  await page.getByLabel("Purpose").selectOption({ label: "tutorial" });
  await page.getByRole("button", { name: "Add" }).click();
  await page.getByRole("link", { name: "Expected answers of s1" }).click();
  await expect(page.getByText("Deletion (words of the source), Paraphrase, Split.")).toBeVisible();
  await page.getByLabel("Edits of output 1").fill("Paraphrase: withdrawn\nDeletion: service");
  await accessible(page);
  await shots(page, "lead-expected-edits");
  await page.getByRole("button", { name: "Save all" }).click();
  await expect(page.getByText("One expected answer has been saved.")).toBeVisible();

  await page.context().clearCookies();
  await begin(page, server);
  await step(page, "Check edits");
  const feedback = page.getByRole("status").filter({ hasText: "Missing:" });
  await expect(feedback).toHaveCount(0);
  await page.locator(".unit", { hasText: "ferry" }).first().focus();
  await page.keyboard.press("p");
  await expect(feedback).toContainText("1 × Paraphrase");
  await expect(feedback).toContainText("Paraphrase “ferry”");
  await accessible(page);
  await shots(page, "tutorial-edits");
  await page.locator(".unit", { hasText: "withdrawn" }).first().focus();
  await page.keyboard.press("p");
  await expect(page.getByText("1 × Paraphrase")).toHaveCount(0);

  // Held back once, as edits are still others than expected.
  const onwards = page.getByRole("button", { name: "Continue to rank & rate" });
  await onwards.click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Check edits");
  await expect(page.getByRole("status").filter({ hasText: "Not expected: Deletion" })).toContainText(
    "Paraphrase “ferry”",
  );
  await onwards.click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Rank & rate");
});
