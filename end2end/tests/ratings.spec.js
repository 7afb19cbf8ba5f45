import { addMember, addPerson, signIn } from "../support/people.js";
import { accessible, expect, open, shots, test } from "../support/test.js";
import { begin, ready, rows, saved, step, study, type } from "../support/work.js";

/** Two annotators who have submitted the same source, on pages of their own. */
async function judged(server, browser) {
  const names = ["annotator 1", "annotator 2"];
  study(server, { annotators: names, overlap: 2 });
  const annotators = [];
  for (const [at, name] of names.entries()) {
    const one = await (await browser.newContext()).newPage();
    await begin(one, server, name);
    await step(one, "Rank & rate");
    const count = await rows(one).count();
    for (let row = 0; row < count; row++) await type(rows(one).nth(row), (10 * row + 40 * at * (row % 2)) % 101);
    await saved(one);
    await handIn(one);
    annotators.push(one);
  }
  addPerson(server, "lea");
  addMember(server, "lea", "river", "lead");
  return annotators;
}

async function handIn(page) {
  await page.getByRole("button", { name: "Submit" }).click();
  await expect(page).toHaveURL(/\/s\/river\/work$/);
}

/** Writes a question about an output. */
async function ask(card, question) {
  await card.getByText("Ask its raters to look again…").click();
  await card.getByLabel("What should they look at?").fill(question);
}

test("a lead asks about one output and records its final value, then gives the whole source back", async ({
  page,
  server,
  browser,
}) => {
  const [one] = await judged(server, browser);
  await signIn(page, server, "lea");
  await open(page, server, "/s/river/ratings");
  const cards = page.locator(".disputed > li");
  await expect(cards).not.toHaveCount(0);
  await accessible(page);
  await shots(page, "ratings");
  const count = await cards.count();
  const own = cards.filter({ hasText: /The ferry was withdrawn from service\./ });
  await ask(own, "Is the cause still told?");
  await own.getByRole("button", { name: "Ask them" }).click();
  await expect(page.getByText("The output has been returned to 2 raters.")).toBeVisible();
  // Meanwhile the figures have the ratings of the others.
  await expect(cards).toHaveCount(count - 1);
  const openQuestions = page.getByRole("region", { name: "Open questions" });
  await expect(openQuestions).toContainText("2 raters have not answered yet.");
  await expect(openQuestions.getByRole("button", { name: "Withdraw the question" })).toBeVisible();
  await shots(page, "open-questions");

  // The annotator gets the output ringed, with the question at it, and can change nothing else.
  const size = one.viewportSize();
  await one.setViewportSize({ width: 390, height: 600 });
  await one.reload();
  await expect(one.getByText("The lead asks about one output")).toBeVisible();
  await one.getByRole("link", { name: /The old ferry/ }).click();
  await ready(one);
  const row = rows(one).filter({ hasText: "The lead asks: Is the cause still told?" });
  await expect(row).toHaveCount(1);
  await expect(row.locator(".handle")).toBeFocused();
  await expect(row).toBeInViewport();
  const isClear = async () => {
    const [text, source] = [row.locator(".text"), one.locator(".source")];
    const [below, above] = [await text.boundingBox(), await source.boundingBox()];
    return below.y >= above.y + above.height;
  };
  await expect.poll(isClear).toBe(true);
  // From the top of the page, the question leads there again.
  await one.evaluate(() => scrollTo({ top: 0, behavior: "instant" }));
  const banner = one.getByRole("complementary", { name: "To check again" });
  await one.screenshot({ path: "shots/asked-about-one-narrow.png" });
  expect((await banner.boundingBox()).height).toBeLessThanOrEqual(240);
  await banner.getByRole("link", { name: "Go to this output" }).click();
  await expect(row.locator(".handle")).toBeFocused();
  await expect.poll(isClear).toBe(true);
  await one.setViewportSize(size);
  await expect(row.locator("input.num")).toBeEnabled();
  await expect(one.locator("input.num:enabled")).toHaveCount(1);
  await expect(one.getByRole("button", { name: "Skip this source…" })).toBeHidden();
  await accessible(one);
  await shots(one, "asked-about-one");
  await type(row, 77);
  await saved(one);
  await handIn(one);
  await page.reload();
  await expect(cards).toHaveCount(count);
  await expect(own.locator("dd strong")).toHaveText(["77"]);

  await own.getByText("Record a final value…").click();
  await own.getByLabel(/Final value/).fill("70");
  await own.getByLabel("Final category (optional)").selectOption("deletion");
  await own.getByLabel("Reason (optional)").fill("A word is lost.");
  await shots(page, "final-value");
  await own.getByRole("button", { name: "Save the final value" }).click();
  await expect(page.getByText("The final value has been saved.")).toBeVisible();
  await expect(page).toHaveURL(/\/ratings\?.*#rated-/);
  await expect(own).toBeInViewport();
  await expect(own).toContainText("Final value (overall): 70");
  await expect(own).toContainText("Final category: Deletion");
  await expect(own).toContainText("A word is lost.");
  await accessible(page);

  // The whole source goes back to its raters, and changes to it count.
  const first = cards.first();
  await ask(first, "Is any fact wrong?");
  await first.getByLabel(/The whole source/).check();
  await shots(page, "ratings-ask");
  await first.getByRole("button", { name: "Ask them" }).click();
  await expect(page.getByText("The source has been returned to 2 raters.")).toBeVisible();
  await accessible(page);

  await one.reload();
  await expect(one.getByText("To check again: Is any fact wrong?")).toBeVisible();
  await one.getByRole("link", { name: /The old ferry/ }).click();
  await ready(one);
  await expect(one.getByRole("complementary", { name: "To check again" })).toContainText("Is any fact wrong?");
  await accessible(one);
  await shots(one, "asked-again");
  await expect(one.getByRole("heading", { level: 1 })).toHaveText("Rank & rate");
  await type(rows(one).first(), 77);
  await saved(one);
  await handIn(one);
  await open(page, server, "/s/river/ratings?count=in-work");
  const asked = page.locator(".disputed > li", { hasText: "Is any fact wrong?" });
  await expect(asked).toContainText("One rater has not answered yet.");
  expect(await page.locator("dd strong").allTextContents()).toContain("77");
});
