import { accessible, expect, open, shots, test } from "../support/test.js";
import { addMember, addPerson, signInQuickly } from "../support/people.js";
import { begin, ready, rows, saved, step, study } from "../support/work.js";

/** A source of 24 outputs, 20 of them different. */
const twenty = { many: 24, repeated: 3 };

const handles = (page) => page.locator(".handle");
const palette = (page) => page.getByRole("dialog", { name: "Commands" });
const order = (page) => rows(page).evaluateAll((all) => all.map((row) => row.id));
const list = (page, name) => page.getByRole("region", { name: new RegExp(`^${name}`) });

test("a source of 24 outputs takes at most 80 keys, and the next one is ready for more", async ({ page, server }) => {
  study(server, { ...twenty, sources: 2 });
  await begin(page, server);
  let count = 0;
  const press = async (...keys) => {
    for (const key of keys) await page.keyboard.press(key);
    count += keys.length;
  };

  // Two outputs are in the wrong category.
  await expect(page.locator(".chip:focus")).toHaveCount(1);
  await press("2");
  await expect(page.locator(".chip:focus")).toContainText("moved by you");
  await press("j", "3", "Control+Enter");
  // Three marks are wrong.
  await expect(page.locator(".unit:focus")).toHaveCount(1);
  for (let at = 0; at < 3; at++) {
    await press("u");
    await expect(page.locator(".unit.unsure:focus")).toHaveCount(1);
    await press("Delete");
  }
  await expect(page.getByText("corrected", { exact: true }).first()).toBeVisible();
  await press("Control+Enter");
  await expect(handles(page).first()).toBeFocused();
  await expect(rows(page)).toHaveCount(20);
  for (let at = 0; at < 20; at++) {
    await press(String(20 + ((at * 37) % 70))[0], String(at % 10), "Enter");
    if (at < 19) await expect(handles(page).nth(at + 1)).toBeFocused();
  }
  await expect(page.getByText("All outputs are rated.")).toBeVisible();
  await press("Shift+S");
  await expect(page.locator(".row .warn")).toHaveCount(0);
  const here = page.url();
  await press("Control+Enter");
  await expect(page).not.toHaveURL(here);
  await ready(page);
  await expect(page.locator(".chip").first()).toBeFocused();
  console.log(`${count} keys for 20 different outputs`);
  expect(count).toBeLessThanOrEqual(80);
});

test("the outputs of a step are one stop of the Tab key, and step 3 changes categories, too", async ({
  page,
  server,
}) => {
  study(server);
  await begin(page, server);
  const stops = (selector) => page.locator(`${selector}:not([tabindex="-1"])`);
  const walk = async (all, down, up) => {
    const count = await all.count();
    for (let at = 1; at < count; at++) {
      await page.keyboard.press(down);
      await expect(all.nth(at)).toBeFocused();
    }
    await page.keyboard.press(up);
    await expect(all.nth(count - 2)).toBeFocused();
  };
  await expect(stops(".chip")).toHaveCount(1);
  await walk(page.locator(".chip"), "j", "ArrowUp");

  await step(page, "Check edits");
  const focused = (number) => page.locator(".edits-of").nth(number).locator(".unit:focus");
  await expect(focused(0)).toHaveCount(1);
  await page.keyboard.press("ArrowDown");
  await expect(focused(1)).toHaveCount(1);
  await page.keyboard.press("ArrowRight");
  const unit = await focused(1).getAttribute("id");
  // Before and after the words there is no stop in the list, and on the way back they are one.
  await expect(stops(".edits-of :is(.unit, .words)")).toHaveCount(0);
  await page.keyboard.press("Tab");
  await expect(page.locator(".edits-of :focus")).toHaveCount(0);
  await expect(stops(".edits-of :is(.unit, .words)")).toHaveCount(1);
  await page.keyboard.press("Shift+Tab");
  await expect(page.locator(`#${unit}`)).toBeFocused();
  await page.keyboard.press("Shift+Tab");
  await expect(page.locator(".edits-of :focus")).toHaveCount(0);

  await step(page, "Rank & rate");
  await expect(stops(".handle")).toHaveCount(1);
  await expect(stops(".row input")).toHaveCount(2);
  await walk(handles(page), "j", "k");
  await rows(page).nth(2).getByRole("slider").focus();
  await expect(handles(page).nth(2)).toHaveAttribute("tabindex", "0");
  await expect(stops(".handle")).toHaveCount(1);

  // The category is changed here as well, by key and by menu, and undone.
  const first = await rows(page).first().getAttribute("id");
  const row = page.locator(`#${first}`);
  await row.locator(".handle").focus();
  await page.keyboard.press("Alt+2");
  await expect(list(page, "Deletion").locator(`#${first}`)).toHaveCount(1);
  await expect(row.locator(".handle")).toBeFocused();
  await page.keyboard.press("Control+z");
  await expect(list(page, "Split").locator(`#${first}`)).toHaveCount(1);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Rank & rate");

  await row.locator(".handle").click();
  const menu = page.getByRole("dialog");
  await expect(menu.getByRole("button", { name: "Split" })).toHaveAttribute("aria-pressed", "true");
  await menu.getByRole("button", { name: "Paraphrase" }).click();
  await expect(list(page, "Paraphrase").locator(`#${first}`)).toHaveCount(1);
  await expect(menu).toHaveCount(0);
});

test("several dimensions do not overlap, and Enter goes on through them and stays at a score that is none", async ({
  page,
  server,
}) => {
  study(server);
  addPerson(server, "a lead");
  addMember(server, "a lead", "river", "lead");
  await signInQuickly(page, server, "a lead");
  await open(page, server, "/s/river/settings/scales");
  await page.getByLabel("Name of dimension 2").fill("fluency");
  await page.getByLabel("Worst of dimension 2").fill("1");
  await page.getByLabel("Best of dimension 2").fill("5");
  await page.getByRole("button", { name: "Save the dimensions" }).click();
  await expect(page.getByText("The dimensions have been saved.")).toBeVisible();
  await page.context().clearCookies();
  await begin(page, server);
  await step(page, "Rank & rate");
  const field = (row, at) => rows(page).nth(row).locator(".num").nth(at);
  for (const key of ["7", "0", "0", "Enter"]) await page.keyboard.press(key);
  await expect(field(0, 0)).toBeFocused();
  await page.keyboard.press("Backspace");
  await page.keyboard.press("Enter");
  await expect(field(0, 1)).toBeFocused();
  for (const key of ["9", "Enter"]) await page.keyboard.press(key);
  await expect(field(0, 1)).toBeFocused();
  await page.keyboard.press("Backspace");
  for (const key of ["4", "Enter"]) await page.keyboard.press(key);
  await expect(handles(page).nth(1)).toBeFocused();
  await expect(field(0, 0)).toHaveValue("70");
  await expect(field(0, 1)).toHaveValue("4");

  // A short scale shows its points.
  const row = rows(page).nth(1);
  await row.hover();
  const ends = row.locator(".ends");
  await expect(ends.nth(0)).toHaveText(/0 worst\s*best 100/);
  await expect(ends.nth(1)).toHaveText(/1 worst\s*best 5/);
  const box = (locator) => locator.boundingBox();
  const above = await box(ends.nth(0));
  const below = await box(row.locator(".dimension").nth(1));
  expect(above.y + above.height).toBeLessThanOrEqual(below.y);
  const last = await box(ends.nth(1));
  const card = await box(row);
  expect(last.y + last.height).toBeLessThan(card.y + card.height - 1);
  const drawn = (at) =>
    row
      .getByRole("slider")
      .nth(at)
      .evaluate((it) => getComputedStyle(it).backgroundImage);
  expect(await drawn(0)).toBe("none");
  expect(await drawn(1)).toContain("repeating-linear-gradient");
  await page.screenshot({ path: "shots/work-dimensions.png", fullPage: true });
  await accessible(page);
});

test("Ctrl+Enter saves a score that is still being typed, and the next introduction is short", async ({
  page,
  server,
}) => {
  study(server, { many: 1, sources: 2 });
  await begin(page, server);
  const height = async () => (await page.locator(".step-head").boundingBox()).height;
  const first = await height();
  await step(page, "Rank & rate");
  const here = page.url();
  let saves = 0;
  await page.route("**/work/save-changes/**", async (route) => {
    saves += 1;
    await new Promise((done) => setTimeout(done, 700));
    await route.continue();
  });
  for (const key of ["7", "3", "Control+Enter"]) await page.keyboard.press(key);
  await expect(page).not.toHaveURL(here);
  expect(saves).toBeGreaterThan(0);
  await ready(page);
  const next = await height();
  expect(next).toBeLessThan(32);
  expect(next).toBeLessThan(first - 20);
  await shots(page, "work-introduced");
  await page.goto(here);
  await ready(page);
  await step(page, "Rank & rate");
  await expect(rows(page).first().locator(".num")).toHaveValue("73");
});

test("all commands are listed at Ctrl+K", async ({ page, server }) => {
  study(server);
  await begin(page, server);
  const run = async (words) => {
    await page.keyboard.press("Control+k");
    await expect(palette(page)).toBeVisible();
    await page.keyboard.type(words);
    await page.keyboard.press("Enter");
    await expect(palette(page)).toHaveCount(0);
  };
  await page.keyboard.press("Control+k");
  await expect(palette(page)).toBeVisible();
  const names = await palette(page).getByRole("option").allInnerTexts();
  for (const name of [
    "Continue to the edits",
    "Go to Categorise",
    "Go to Check edits",
    "Go to Rank & rate",
    "Guidelines",
    "Keys and help",
    "Compact rows",
    "Skip this source…",
    "Leave to River study",
  ]) {
    expect(names.some((shown) => shown.startsWith(name))).toBe(true);
  }
  await expect(palette(page).getByRole("option").first()).toHaveAttribute("aria-selected", "true");
  await page.keyboard.press("ArrowDown");
  await expect(palette(page).getByRole("option").nth(1)).toHaveAttribute("aria-selected", "true");
  await accessible(page);
  await shots(page, "work-commands");
  await page.keyboard.type("no such words");
  await expect(palette(page).getByRole("status")).toHaveText("No command has these words.");
  await page.keyboard.press("Escape");
  await expect(page.locator(".chip").first()).toBeFocused();

  await run("rank rate");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Rank & rate");
  await expect(handles(page).first()).toBeFocused();
  for (const key of ["1", "0", "Enter", "9", "0", "Enter"]) await page.keyboard.press(key);
  const before = await order(page);
  await run("sort");
  await expect.poll(() => order(page)).toEqual([before[1], before[0], ...before.slice(2)]);
  await run("undo");
  await expect.poll(() => order(page)).toEqual(before);
  await run("redo");
  await expect.poll(() => order(page)).not.toEqual(before);
  await run("to judge");
  await expect(handles(page).nth(2)).toBeFocused();
  await run("guidelines");
  await expect(page.getByRole("dialog", { name: "Guidelines" })).toBeVisible();
  await page.getByRole("button", { name: "Close" }).click();
  await run("submit");
  await expect(page.getByRole("dialog", { name: "Not ready to submit" })).toBeVisible();
  await page.keyboard.press("Escape");
  await run("skip");
  await expect(page.getByRole("dialog", { name: "Skip this source" })).toBeVisible();
  await page.keyboard.press("Escape");
  await run("leave");
  await expect(page).toHaveURL(/\/s\/river\/work$/);

  // A lead reaches tabs and links of a page.
  await page.context().clearCookies();
  addPerson(server, "a lead");
  addMember(server, "a lead", "river", "lead");
  await signInQuickly(page, server, "a lead");
  await open(page, server, "/s/river/sources");
  await page.keyboard.press("Control+k");
  await page.keyboard.type("agreement");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/agreement$/);
});

test("seven rows are in sight, 20 outputs take at most 1,700 pixels, and compact rows fewer", async ({
  page,
  server,
}) => {
  await page.setViewportSize({ width: 1280, height: 800 });
  study(server, twenty);
  await begin(page, server);
  await step(page, "Rank & rate");
  await expect(rows(page)).toHaveCount(20);
  const measure = async () => {
    // Rows have their height once they have come near.
    for (const row of await rows(page).all()) await row.scrollIntoViewIfNeeded();
    const height = await page.evaluate(() => document.documentElement.scrollHeight);
    await page.evaluate(() => scrollTo({ top: 0, behavior: "instant" }));
    const inSight = await page.evaluate(() => {
      const top = document.querySelector(".source").getBoundingClientRect().bottom;
      const bottom = document.querySelector(".work-foot").getBoundingClientRect().top;
      const boxes = [...document.querySelectorAll(".row")].map((row) => row.getBoundingClientRect());
      return boxes.filter((box) => box.top >= top && box.bottom <= bottom).length;
    });
    console.log(`${height} pixels for 20 outputs, ${inSight} rows in sight`);
    return { height, inSight };
  };
  const roomy = await measure();
  expect(roomy.height).toBeLessThanOrEqual(1700);
  expect(roomy.inSight).toBeGreaterThanOrEqual(7);
  await shots(page, "work-dense");
  await page.setViewportSize({ width: 1280, height: 800 });

  const compact = page.getByRole("button", { name: "Compact rows" });
  await expect(compact).toHaveAttribute("aria-pressed", "false");
  await compact.click();
  await expect(compact).toHaveAttribute("aria-pressed", "true");
  await accessible(page);
  await shots(page, "work-compact");
  await page.setViewportSize({ width: 1280, height: 800 });
  await saved(page);
  await page.reload();
  await expect(page.locator("html")).toHaveAttribute("data-rows", "compact");
  await ready(page);
  await expect(compact).toHaveAttribute("aria-pressed", "true");
  const dense = await measure();
  expect(dense.height).toBeLessThan(roomy.height - 100);
  expect(dense.inSight).toBeGreaterThan(roomy.inSight);
  await compact.click();
  await page.reload();
  await expect(page.locator("html")).toHaveAttribute("data-rows", "roomy");
});

test("a row is dragged anywhere but on its controls, and all rows fold meanwhile", async ({ page, server }) => {
  await page.setViewportSize({ width: 1280, height: 800 });
  study(server, twenty);
  await begin(page, server);
  await step(page, "Rank & rate");
  const split = list(page, "Split");
  const inSplit = () => split.locator(".row").evaluateAll((all) => all.map((row) => row.id));
  const before = await inSplit();
  const text = split.locator(".row").nth(3).locator(".text");
  const box = await text.boundingBox();
  // On the first word: further on there may be a caret, or the end of a short line.
  const [x, y] = [box.x + 4, box.y + 12];

  // With either key held, the mouse selects text.
  for (const key of ["Alt", "Shift"]) {
    await page.keyboard.down(key);
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + 150, y, { steps: 5 });
    await page.mouse.up();
    await page.keyboard.up(key);
    expect(await page.evaluate(() => getSelection().toString().length), key).toBeGreaterThan(3);
    await page.evaluate(() => getSelection().removeAllRanges());
  }

  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x, y - 8, { steps: 2 });
  await expect(page.locator(".row.lift")).toHaveCount(1);
  const heights = await rows(page).evaluateAll((all) => all.map((row) => row.getBoundingClientRect().height));
  expect(Math.max(...heights)).toBeLessThan(28);
  const room = await page.evaluate(
    () =>
      document.querySelector(".work-foot").getBoundingClientRect().top -
      document.querySelector(".source").getBoundingClientRect().bottom,
  );
  expect(20 * (heights[0] + 2)).toBeLessThan(room);
  const lifted = await page.locator(".row.lift").boundingBox();
  expect(Math.abs(lifted.y + lifted.height / 2 - (y - 8))).toBeLessThan(30);
  await page.screenshot({ path: "shots/work-folded.png" });
  await page.mouse.move(x, y - 2 * (heights[0] + 2), { steps: 8 });
  await page.mouse.up();
  await expect.poll(inSplit).toEqual([before[0], before[3], before[1], before[2], ...before.slice(4)]);
  await expect(page.locator(".folded")).toHaveCount(0);
  expect(await page.evaluate(() => getSelection().toString())).toBe("");

  // Dropped near its place, it returns to it.
  const top = await split
    .locator(".row")
    .nth(1)
    .evaluate((row) => row.getBoundingClientRect().top);
  await page.mouse.move(x, top + 10);
  await page.mouse.down();
  await page.mouse.move(x, top + 18, { steps: 3 });
  await expect(page.locator(".row.lift")).toHaveCount(1);
  await page.mouse.up();
  await expect(page.locator(".folded")).toHaveCount(0);
  await expect
    .poll(() =>
      split
        .locator(".row")
        .nth(1)
        .evaluate((row) => getComputedStyle(row).transform),
    )
    .toMatch(/none|, 0\)$/);

  // Escape returns it, and a slider is moved without its row.
  const now = await inSplit();
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x, y + 100, { steps: 4 });
  await page.keyboard.press("Escape");
  await page.mouse.up();
  await expect(page.locator(".folded")).toHaveCount(0);
  const slider = await split.getByRole("slider").first().boundingBox();
  await page.mouse.move(slider.x + 40, slider.y + slider.height / 2);
  await page.mouse.down();
  await page.mouse.move(slider.x + 120, slider.y + slider.height / 2 + 60, { steps: 5 });
  await expect(page.locator(".row.lift")).toHaveCount(0);
  await page.mouse.up();
  expect(await inSplit()).toEqual(now);
});
