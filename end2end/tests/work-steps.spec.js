import { expect, test } from "../support/test.js";
import { begin, rows, saved, shown, step, study, type } from "../support/work.js";

const column = (page, name) => page.getByRole("region", { name: new RegExp(`^${name}`) });
const chips = (page, name) => column(page, name).locator(".chip");
const category = (page, name) => page.getByRole("region", { name: new RegExp(`^${name}`) });
const box = (locator) => locator.boundingBox();
const order = (list) => list.locator(".row").evaluateAll((all) => all.map((row) => row.id));

/** Waits until the page has not scrolled for a quarter of a second. */
const still = (page) =>
  page.evaluate(async () => {
    for (let [frames, last] = [0, scrollY]; frames < 15; last = scrollY) {
      await new Promise(requestAnimationFrame);
      frames = scrollY === last ? frames + 1 : 0;
    }
  });

async function drag(page, from, to, { x = 0, y = 0 } = {}) {
  await from.scrollIntoViewIfNeeded();
  const [a, b] = [await box(from), await box(to)];
  await page.mouse.move(a.x + a.width / 2, a.y + a.height / 2);
  await page.mouse.down();
  await page.mouse.move(b.x + b.width / 2 + x, b.y + b.height / 2 + y, { steps: 12 });
  await page.mouse.up();
}

test("all three steps work by mouse, and the answers are there after a reload", async ({ page, server }) => {
  study(server);
  await begin(page, server);

  await expect(chips(page, "Split")).toHaveCount(3);
  const text = await chips(page, "Split").first().locator(".text").innerText();
  await drag(page, chips(page, "Split").first(), column(page, "Deletion").getByRole("heading"));
  await expect(chips(page, "Split")).toHaveCount(2);
  await expect(column(page, "Deletion").getByText(text)).toBeVisible();
  await expect(column(page, "Deletion").getByText("moved by you, was: split")).toBeVisible();

  await chips(page, "Paraphrase").first().click();
  await page.getByRole("dialog").getByRole("button", { name: "Deletion" }).click();
  await expect(chips(page, "Paraphrase")).toHaveCount(1);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(chips(page, "Paraphrase")).toHaveCount(2);

  await page.getByRole("button", { name: "Continue to the edits" }).click();
  const first = page.locator(".edits-of", { hasText: "rusty" });
  const bold = first.locator(".unit.par");
  // Outputs further down are drawn in later frames.
  await expect(bold.first()).toBeAttached();
  const before = await bold.count();
  const places = () => page.locator(".edits-of").evaluateAll((all) => all.map((it) => it.getBoundingClientRect().y));
  // A row has its real height once it was drawn.
  await still(page);
  const placesBefore = await places();
  await bold.first().click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Not an edit" }).click();
  await expect(bold).toHaveCount(before - 1);
  await expect(first.getByText("corrected", { exact: true })).toBeVisible();
  // A correction moves no row.
  expect(await places()).toEqual(placesBefore);
  await first.getByRole("button", { name: "Reset to automatic" }).click();
  await expect(bold).toHaveCount(before);

  await bold.first().click();
  await dialog.getByRole("button", { name: "Choose source words" }).click();
  await page.locator(".pick", { hasText: "timber" }).click();
  await page.getByRole("button", { name: "Done", exact: true }).click();
  await bold.first().click();
  await expect(dialog).toContainText("timber");
  await page.keyboard.press("Escape");

  await page.getByRole("button", { name: "Continue to rank & rate" }).click();
  const split = category(page, "Split");
  const [a, b] = await order(split);
  await drag(page, split.locator(".grip").nth(1), split.locator(".row").first(), { y: -30 });
  await expect.poll(() => order(split)).toEqual([b, a]);

  const slider = split.getByRole("slider").first();
  await expect(slider).toHaveAttribute("aria-valuetext", "not rated");
  const box = await slider.boundingBox();
  await page.mouse.click(box.x + box.width * 0.75, box.y + box.height / 2);
  await expect(slider).toHaveAttribute("aria-valuetext", /^7\d$/);
  await type(split.locator(".row").nth(1), 93);
  await expect(split.getByText("Scored higher than the one above.")).toBeVisible();
  await split.getByRole("button", { name: "Swap" }).click();
  await expect.poll(() => order(split)).toEqual([a, b]);
  await expect(split.getByText("Scored higher")).toHaveCount(0);

  await saved(page);
  const entered = await shown(page);
  await page.reload();
  await expect.poll(() => shown(page)).toEqual(entered);
});

test("all three steps work by keyboard alone, up to handing in", async ({ page, server }) => {
  study(server, { sources: 2 });
  await begin(page, server);
  const press = (...keys) => keys.reduce((done, key) => done.then(() => page.keyboard.press(key)), Promise.resolve());
  const focus = async (locator) => {
    for (let at = 0; at < 60 && !(await locator.evaluate((it) => it === document.activeElement)); at++) {
      await page.keyboard.press("Tab");
    }
    await expect(locator).toBeFocused();
  };

  await focus(chips(page, "Split").first());
  await press("3");
  await expect(chips(page, "Split")).toHaveCount(2);
  await expect(page.locator(".chip:focus")).toContainText("moved by you, was: split");
  await press("ArrowLeft");
  await expect(chips(page, "Deletion")).toHaveCount(3);
  await press("Control+z", "Control+z");
  await expect(chips(page, "Split")).toHaveCount(3);
  await press("Control+Shift+z", "Control+y");
  await expect(chips(page, "Deletion")).toHaveCount(3);
  await press("1");

  await press("Control+Enter");
  await expect(page.getByRole("heading", { name: "Check edits" })).toBeVisible();
  const words = page.getByRole("toolbar").first();
  await focus(words.locator(".unit").first());
  await press("ArrowRight", "ArrowRight", "Home", "p");
  await expect(words.locator(".unit").first()).toHaveClass(/par/);
  await press("Enter");
  await expect(page.getByRole("dialog")).toBeVisible();
  await press("Escape");
  await expect(words.locator(".unit").first()).toBeFocused();
  await press("Delete");
  await expect(words.locator(".unit").first()).not.toHaveClass(/par/);
  await press("d");
  await expect(page.getByText("Choose the words that were left out here.")).toBeVisible();
  await press("Space", "ArrowRight", "Space", "Enter");
  await expect(words.locator(".unit.caret").first()).toBeFocused();

  await press("Control+Enter");
  const split = category(page, "Split");
  const [a, b, c] = await order(split);
  await focus(split.locator(".handle").first());
  await press("ArrowDown");
  await expect.poll(() => order(split)).toEqual([b, a, c]);
  await expect(page.getByText("Number 2 of 3 in Split")).toBeAttached();
  await press("End");
  await expect.poll(() => order(split)).toEqual([b, c, a]);
  await press("Shift+ArrowUp");
  await expect.poll(() => order(split)).toEqual([a, b, c]);
  await expect(split.locator(".handle").first()).toBeFocused();

  await press("Enter");
  await expect(split.getByRole("slider").first()).toBeFocused();
  await press("End", "PageDown", "ArrowLeft");
  await expect(split.getByRole("slider").first()).toHaveAttribute("aria-valuetext", "89");
  await press("Escape");
  await expect(split.locator(".handle").first()).toBeFocused();
  await press("j", "9", "5", "Enter");
  await expect(split.locator(".num").nth(1)).toHaveValue("95");
  await press("s");
  await expect.poll(() => order(split)).toEqual([b, a, c]);
  await press("n");
  await page.keyboard.type("3 sentences, fine");
  await press("Escape");
  await expect(split.getByRole("textbox", { name: "Note" })).toHaveValue("3 sentences, fine");

  await focus(page.getByRole("button", { name: "Submit" }));
  await press("Enter");
  const dialog = page.getByRole("dialog", { name: "Not ready to submit" });
  await expect(dialog).toContainText("Split 3 is not rated");
  await focus(dialog.getByRole("button", { name: "Split 3" }));
  await press("Enter");
  await expect(split.locator(".handle").nth(2)).toBeFocused();
  await press("4", "0", "Enter");
  for (const name of ["Deletion", "Paraphrase"]) {
    const count = await category(page, name).locator(".row").count();
    await expect(category(page, name).locator(".handle").first()).toBeFocused();
    for (let at = 0; at < count; at++) await press("6", "0", "Enter");
  }
  await expect(page.getByText("All outputs are rated.")).toBeVisible();
  await saved(page);
  const here = page.url();
  await focus(page.getByRole("button", { name: "Submit" }));
  await press("Enter");
  await expect(page).not.toHaveURL(here);
  await expect(page.getByText(/It was number|timber across/).first()).toBeVisible();
});

test.describe("on a phone", () => {
  test.use({ viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true });

  test("a finger drags a row, scrolling rates nothing, and the menu moves a row", async ({ page, server }) => {
    study(server, { many: 12, sources: 2 });
    await begin(page, server);
    await chips(page, "Split").first().tap();
    await page.getByRole("dialog").getByRole("button", { name: "Paraphrase" }).tap();
    await expect(page.getByText("moved by you, was: split")).toBeVisible();

    await step(page, "Rank & rate");
    const split = category(page, "Split");
    const all = await order(split);
    const finger = await page.context().newCDPSession(page);
    const touch = (type, ...points) =>
      finger.send("Input.dispatchTouchEvent", { type, touchPoints: points.map(([x, y]) => ({ x, y })) });
    const grip = split.locator(".grip").first();
    // In the middle, where dragging does not scroll the window.
    await grip.evaluate((it) => it.scrollIntoView({ block: "center" }));
    const held = await box(grip);
    const [x, y] = [held.x + held.width / 2, held.y + held.height / 2];
    // Rows have one line meanwhile: it passes the middle of the next row, and does not reach the one after it.
    const far = 28;
    await touch("touchStart", [x, y]);
    for (let at = 1; at <= 10; at++) await touch("touchMove", [x, y + (far * at) / 10]);
    await touch("touchEnd");
    await expect.poll(() => order(split)).toEqual([all[1], all[0], ...all.slice(2)]);

    const slider = await box(split.getByRole("slider").nth(1));
    const [left, top] = [slider.x + slider.width * 0.8, slider.y + slider.height / 2];
    const scrolled = await page.evaluate(() => scrollY);
    await touch("touchStart", [left, top]);
    for (let at = 1; at <= 10; at++) await touch("touchMove", [left, top - 15 * at]);
    await touch("touchEnd");
    await expect.poll(() => page.evaluate(() => scrollY)).toBeGreaterThan(scrolled + 50);
    // A tap while the page is still scrolling only stops the scrolling.
    await still(page);
    expect((await shown(page)).every(({ score }) => score === "")).toBe(true);
    await expect(page.locator("[aria-valuetext='not rated']")).toHaveCount(await rows(page).count());

    await split.locator(".handle").first().tap();
    await page.getByLabel(/^To place/).fill("99");
    await page.getByRole("button", { name: "Move", exact: true }).tap();
    await expect(page.getByRole("dialog").getByRole("alert")).toContainText("“99” is not a place");
    await page.getByRole("button", { name: "To the last place" }).tap();
    await expect.poll(() => order(split)).toEqual([all[0], ...all.slice(2), all[1]]);
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect(overflow).toBeLessThanOrEqual(0);

    // A source is skipped with a reason.
    const here = page.url();
    await page.getByRole("button", { name: "Skip this source" }).tap();
    const skip = page.getByRole("button", { name: "Skip it" });
    await expect(skip).toBeDisabled();
    await page.getByLabel("Reason").fill("It is not a sentence.");
    await skip.tap();
    await expect(page).not.toHaveURL(here);
    await page.goto(here);
    await expect(page.getByText("You skipped this source.")).toBeVisible();
  });
});
