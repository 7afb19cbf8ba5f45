import { accessible, expect, shots, test } from "../support/test.js";
import { begin, ready, rows, saved, shown, study } from "../support/work.js";

const merged = { layout: "merged" };
const handles = (page) => page.locator(".handle");
const category = (row, name) => row.getByRole("group", { name: "Category" }).getByRole("button", { name });
const inCategory = (page, name) => page.getByRole("region", { name: new RegExp(`^${name}`) }).locator(".row");

test("category, edits and score of an output are corrected in one place", async ({ page, server }) => {
  study(server, merged);
  await begin(page, server);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Check & rate");
  await expect(page.getByRole("navigation", { name: "Steps" })).toHaveCount(0);
  await expect(handles(page).first()).toBeFocused();

  // A category, by the mouse.
  const row = inCategory(page, "Split").first();
  const id = await row.getAttribute("id");
  await expect(category(row, "Split")).toHaveAttribute("aria-pressed", "true");
  await category(row, "Paraphrase").click();
  const moved = page.locator(`#${id}`);
  await expect(category(moved, "Paraphrase")).toHaveAttribute("aria-pressed", "true");
  await expect(moved).toContainText("moved by you, was: split");
  await expect(moved.locator(".handle")).toBeFocused();
  await expect(inCategory(page, "Paraphrase").locator(`xpath=self::*[@id="${id}"]`)).toHaveCount(1);

  // An edit: its words in the source light up, its dialog corrects it, and it can be undone.
  const caret = inCategory(page, "Deletion").locator(".unit.caret").first();
  await caret.hover();
  await expect(page.locator(".source .lit").first()).toBeVisible();
  await caret.click();
  await page.getByRole("dialog").getByRole("button", { name: "Not an edit" }).click();
  await expect(page.getByText("corrected", { exact: true })).toBeVisible();
  await page.keyboard.press("Control+z");
  await expect(page.getByText("corrected", { exact: true })).toHaveCount(0);
  // Where the words are, not where the row is.
  await expect(inCategory(page, "Deletion").locator(".unit:focus")).toHaveCount(1);
  await page.keyboard.press("Control+Shift+Z");
  await expect(page.getByText("corrected", { exact: true })).toBeVisible();

  // Source words are chosen as in step 2.
  await page.locator(".unit.par").first().click();
  await page.getByRole("button", { name: "Choose source words…" }).click();
  await expect(page.getByRole("toolbar", { name: "Words of the source" })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.locator(".unit:focus")).toHaveCount(1);

  // Up and down in the words go to the words of the next output, and move none.
  const order = (await shown(page)).map(({ id }) => id);
  const holder = () => page.evaluate(() => document.activeElement.closest(".row").id);
  const at = order.indexOf(await holder());
  for (const [key, by] of [
    ["ArrowDown", 1],
    ["ArrowDown", 2],
    ["ArrowUp", 1],
    ["ArrowUp", 0],
  ]) {
    await page.keyboard.press(key);
    await expect(page.locator(".unit:focus")).toHaveCount(1);
    await expect.poll(holder).toBe(order[at + by]);
  }
  expect((await shown(page)).map(({ id }) => id)).toEqual(order);

  // Escape leads from the words to the row, and digits begin a score anywhere in it.
  await page.keyboard.press("Escape");
  await expect(page.locator(".handle:focus")).toHaveCount(1);
  await page.locator(".unit.par").first().focus();
  await page.keyboard.type("64");
  await page.keyboard.press("Enter");
  await expect(page.locator(".handle:focus")).toHaveCount(1);
  expect((await shown(page)).filter(({ score }) => score === "64")).toHaveLength(1);
  await saved(page);

  await page.reload();
  await ready(page);
  await expect(moved).toContainText("moved by you");
  await expect(page.getByText("corrected", { exact: true })).toBeVisible();
  expect((await shown(page)).filter(({ score }) => score === "64")).toHaveLength(1);
});

test("a source is checked, rated and submitted without a mouse, each output in one go", async ({ page, server }) => {
  study(server, { ...merged, many: 24, repeated: 3, sources: 2 });
  await begin(page, server);
  let count = 0;
  const press = async (...keys) => {
    for (const key of keys) await page.keyboard.press(key);
    count += keys.length;
  };
  await press("Alt+2");
  await expect(page.locator(".handle:focus")).toHaveCount(1);
  await expect(page.getByText("moved by you")).toHaveCount(1);
  for (let at = 0; at < 3; at++) {
    await press("u");
    await expect(page.locator(".unit.unsure:focus")).toHaveCount(1);
    await press("Delete");
  }
  await expect(page.getByText("corrected", { exact: true }).first()).toBeVisible();
  await handles(page).first().focus();
  for (let at = 0; at < 20; at++) {
    await press(String(20 + ((at * 37) % 70))[0], String(at % 10), "Enter");
    if (at < 19) await expect(handles(page).nth(at + 1)).toBeFocused();
  }
  await press("Shift+S");
  const here = page.url();
  await press("Control+Enter");
  await expect(page).not.toHaveURL(here);
  await ready(page);
  await expect(handles(page).first()).toBeFocused();
  // What is submitted is shown as it was, and nothing of it changes.
  await page.goto(here);
  await ready(page);
  await expect(page.getByText("You have submitted this source.")).toBeVisible();
  await expect(page.getByRole("group", { name: "Category" }).first().getByRole("button").first()).toBeDisabled();
  await page.locator(".unit.par").first().click();
  await expect(page.getByRole("dialog")).toHaveCount(0);
  console.log(`${count} keys for 20 different outputs`);
  expect(count).toBeLessThanOrEqual(80);
});

test("one page for all is accessible, also on a phone", async ({ page, server }) => {
  study(server, { ...merged, many: 12 });
  await begin(page, server);
  await accessible(page);
  await shots(page, "work-merged");
  // The page never scrolls sideways.
  for (const width of [390, 320]) {
    await page.setViewportSize({ width, height: 844 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    // A row cuts off what does not fit, so that the page would not scroll.
    const tooWide = await rows(page).evaluateAll(
      (all) =>
        all.flatMap((row) => {
          const { right } = row.getBoundingClientRect();
          return [...row.querySelectorAll("button, input")].filter((it) => it.getBoundingClientRect().right > right);
        }).length,
    );
    expect(tooWide, `${width} pixels`).toBe(0);
  }
  await page.setViewportSize({ width: 1280, height: 800 });
  // Dragged by its handle, an output gets another place.
  const before = (await shown(page)).map(({ id }) => id);
  const box = await handles(page).first().boundingBox();
  await page.mouse.move(box.x + 10, box.y + 10);
  await page.mouse.down();
  await page.mouse.move(box.x + 10, box.y + 30, { steps: 3 });
  await expect(page.locator(".row.lift")).toHaveCount(1);
  await page.screenshot({ path: "shots/work-merged-folded.png" });
  const cut = await rows(page).evaluateAll(
    (all) =>
      all.filter((row) => {
        const [box, text] = [row, row.querySelector(".words")].map((it) => it.getBoundingClientRect());
        return text.top < box.top || text.bottom > box.bottom;
      }).length,
  );
  expect(cut, "lines that are cut off").toBe(0);
  await page.mouse.move(box.x + 10, box.y + 60, { steps: 5 });
  await page.mouse.up();
  await expect.poll(async () => (await shown(page)).map(({ id }) => id)).not.toEqual(before);
  // A press in the text drags nothing.
  const text = await rows(page).first().locator(".words").boundingBox();
  await page.mouse.move(text.x + 40, text.y + 8);
  await page.mouse.down();
  await page.mouse.move(text.x + 40, text.y + 60, { steps: 5 });
  await expect(page.locator(".row.lift")).toHaveCount(0);
  await page.mouse.up();
});
