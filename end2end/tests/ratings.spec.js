import { addMember, addPerson, signIn } from "../support/people.js";
import { accessible, expect, open, shots, test } from "../support/test.js";
import { begin, ready, rows, saved, step, study, type } from "../support/work.js";

test("ratings are shown side by side, the largest disagreement first", async ({ page, server }) => {
  server.command("demo");
  addPerson(server, "rea");
  addMember(server, "rea", "demo", "researcher");
  await signIn(page, server, "rea");
  await open(page, server, "/s/demo/ratings");
  const cards = page.locator(".disputed > li");
  await expect(cards).toHaveCount(20);
  const apart = await page.locator(".apart").allTextContents();
  const numbers = apart.map((text) => Number.parseFloat(text));
  expect(numbers).toEqual(numbers.toSorted((a, b) => b - a));
  await expect(cards.filter({ has: page.locator("dl > div:nth-of-type(3)") }).first()).toBeVisible();
  await accessible(page);
  await shots(page, "ratings");

  await page.getByRole("link", { name: "Next" }).click();
  await expect(page.getByText(/Page 2 of [4-6]/)).toBeVisible();
  await expect(cards.first().getByRole("heading", { level: 2 })).toContainText("21.");
  await page.getByLabel("Category").selectOption("split");
  await page.getByRole("button", { name: "Show" }).click();
  await expect(cards.first().locator(".tag")).toHaveText("Split");
});

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

test("a lead gives a whole source back, and changes to it count", async ({ page, server, browser }) => {
  const [one] = await judged(server, browser);
  await signIn(page, server, "lea");
  await open(page, server, "/s/river/ratings");
  const first = page.locator(".disputed > li").first();
  await first.getByText("Ask its raters to look again…").click();
  await first.getByLabel("What should they look at?").fill("Is the cause still told?");
  await first.getByLabel(/The whole source/).check();
  await shots(page, "ratings-ask");
  await first.getByRole("button", { name: "Ask them" }).click();
  await expect(page.getByText("The source has been returned to 2 raters.")).toBeVisible();
  await accessible(page);

  await one.reload();
  await expect(one.getByText("To check again: Is the cause still told?")).toBeVisible();
  await one.getByRole("link", { name: /The old ferry/ }).click();
  await ready(one);
  await expect(one.getByRole("complementary", { name: "To check again" })).toContainText("Is the cause still told?");
  await accessible(one);
  await shots(one, "asked-again");
  await expect(one.getByRole("heading", { level: 1 })).toHaveText("Rank & rate");
  await type(rows(one).first(), 77);
  await saved(one);
  await handIn(one);
  await open(page, server, "/s/river/ratings?count=in-work");
  const asked = page.locator(".disputed > li", { hasText: "Is the cause still told?" });
  await expect(asked).toContainText("One rater has not answered yet.");
  expect(await page.locator("dd strong").allTextContents()).toContain("77");
});

test("a lead asks about one output, the others keep counting, and a final value ends it", async ({
  page,
  server,
  browser,
}) => {
  const [one] = await judged(server, browser);
  await signIn(page, server, "lea");
  await open(page, server, "/s/river/ratings");
  const cards = page.locator(".disputed > li");
  await expect(cards).not.toHaveCount(0);
  const count = await cards.count();
  const own = cards.filter({ hasText: /The ferry was withdrawn from service\./ });
  await own.getByText("Ask its raters to look again…").click();
  await own.getByLabel("What should they look at?").fill("Is the cause still told?");
  await own.getByRole("button", { name: "Ask them" }).click();
  await expect(page.getByText("The output has been returned to 2 raters.")).toBeVisible();
  // Meanwhile the figures have the ratings of the others.
  await expect(cards).toHaveCount(count - 1);
  const openQuestions = page.getByRole("region", { name: "Open questions" });
  await expect(openQuestions).toContainText("2 raters have not answered yet.");
  await expect(openQuestions.getByRole("button", { name: "Withdraw the question" })).toBeVisible();
  await shots(page, "open-questions");

  // The annotator gets the output ringed, with the question at it, and can change nothing else.
  await one.reload();
  await expect(one.getByText("The lead asks about one output")).toBeVisible();
  await one.getByRole("link", { name: /The old ferry/ }).click();
  await ready(one);
  const row = rows(one).filter({ hasText: "The lead asks: Is the cause still told?" });
  await expect(row).toHaveCount(1);
  await expect(row.locator(".handle")).toBeFocused();
  await expect(row).toBeInViewport();
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
  await own.getByText("Use as a qualification or attention item…").click();
  await own.getByRole("button", { name: "Make the item" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Expected answers");
  await expect(page.getByLabel("Rating of output 1")).toHaveValue("70");
  await expect(page.getByLabel("Tolerance for output 1")).toHaveValue("10");

  await open(page, server, "/s/river/ratings");
  await own.getByText("Change the final value…").click();
  await own.getByRole("button", { name: "Remove it" }).click();
  await expect(page.getByText("The final value has been removed.")).toBeVisible();
  await expect(own).not.toContainText("Final value (overall)");
});
