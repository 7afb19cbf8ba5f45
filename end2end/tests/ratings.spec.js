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

test("a lead asks raters to look again, and their changes count", async ({ page, server, browser }) => {
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
    await one.getByRole("button", { name: "Hand in" }).click();
    await expect(one).toHaveURL(/\/s\/river\/work$/);
    annotators.push(one);
  }
  addPerson(server, "lea");
  addMember(server, "lea", "river", "lead");
  await signIn(page, server, "lea");
  await open(page, server, "/s/river/ratings");
  const first = page.locator(".disputed > li").first();
  const before = await first.locator("dd strong").allTextContents();
  await first.getByText("Ask its raters to look again…").click();
  await first.getByLabel("What should they look at?").fill("Is the cause still told?");
  await shots(page, "ratings-ask");
  await first.getByRole("button", { name: "Return it to them" }).click();
  await expect(page.getByText("The source has been returned to 2 raters.")).toBeVisible();
  await accessible(page);

  const [one] = annotators;
  await one.reload();
  await expect(one.getByText("To check again: Is the cause still told?")).toBeVisible();
  await one.getByRole("link", { name: /The old ferry/ }).click();
  await ready(one);
  await expect(one.getByRole("complementary", { name: "To check again" })).toContainText("Is the cause still told?");
  await accessible(one);
  await shots(one, "asked-again");
  await step(one, "Rank & rate");
  await type(rows(one).first(), 77);
  await saved(one);
  await one.getByRole("button", { name: "Hand in" }).click();
  await expect(one).toHaveURL(/\/s\/river\/work$/);
  await open(page, server, "/s/river/ratings?count=in-work");
  const asked = page.locator(".disputed > li", { hasText: "Is the cause still told?" });
  await expect(asked).toContainText("One rater still has it open.");
  expect(await page.locator("dd strong").allTextContents()).toContain("77");
  expect(before.length).toBe(2);
});
