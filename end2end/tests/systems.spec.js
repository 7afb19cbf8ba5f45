import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { addMember, addPerson, signInQuickly } from "../support/people.js";
import { accessible, expect, open, shots, test } from "../support/test.js";

/** Opens the demonstration's systems page as a researcher. */
async function systems(page, server) {
  server.command("demo");
  addPerson(server, "rea");
  addMember(server, "rea", "demo", "researcher");
  await signInQuickly(page, server, "rea");
  await open(page, server, "/s/demo/systems");
}

/** The rankings that the command prints for the same study. */
function ranking(server, ...flags) {
  const said = JSON.parse(server.command("systems", "--study", "demo", "--json", ...flags));
  return said.rankings;
}

/** The name and content of the file that a chart's button downloads. */
async function download(page, name) {
  const begun = page.waitForEvent("download");
  await page.getByRole("button", { name }).click();
  const got = await begun;
  return { name: got.suggestedFilename(), bytes: readFileSync(await got.path()) };
}

test("marks and tables are reached by keyboard and pointer, and the page fits every screen", async ({
  page,
  server,
}) => {
  await systems(page, server);
  const drawing = page.getByRole("group", { name: "of each system, drawing" }).first();
  await drawing.focus();
  await page.keyboard.press("Tab");
  const first = page.locator("figure.chart g.mark").first();
  await expect(first).toBeFocused();
  await expect(first).toHaveAccessibleName(/mean z-score .* 95 % interval .* to .*, rank 1/);
  const ring = first.locator(".reach");
  await expect(ring).not.toHaveCSS("stroke", "rgba(0, 0, 0, 0)");
  const table = page.getByRole("group", { name: "Values: Mean z-score of each system" });
  await expect(table).toBeHidden();
  await page.getByText("Values as a table").first().focus();
  await page.keyboard.press("Enter");
  await expect(table).toBeVisible();

  // A mark shows its values, and Escape closes them.
  const tip = page.locator(".chart-tip");
  await expect(tip).toBeHidden();
  const mark = page.locator("figure[data-file=systems-z] .wide .mark").first();
  await mark.hover();
  await expect(tip).toHaveText(await mark.getAttribute("aria-label"));
  // The pointer can move onto the values, which stay.
  await tip.hover();
  await page.waitForTimeout(400);
  await expect(tip).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(tip).toBeHidden();
  await mark.focus();
  await page.keyboard.press("ArrowDown");
  await expect(tip).toHaveText(await page.locator(".mark:focus").getAttribute("aria-label"));
  await accessible(page);
  await page.keyboard.press("Escape");
  await expect(tip).toBeHidden();
  await expect(page.locator("figure.chart title")).toHaveCount(0);

  await shots(page, "systems");
  await page.setViewportSize({ width: 320, height: 700 });
  const whole = page.getByRole("img", { name: /mean z-score/ }).first();
  await whole.focus();
  await expect(whole).toBeInViewport({ ratio: 0.9 });
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  expect(overflow).toBeLessThanOrEqual(0);
  server.command("study", "create", "river");
  addMember(server, "rea", "river", "researcher");
  await open(page, server, "/s/river/systems");
  await expect(page.getByRole("heading", { name: "No ratings yet" })).toBeVisible();
  await accessible(page);
});

test("a chart has the ranks of the command, and is downloaded as CSV, SVG and PNG", async ({ page, server }) => {
  await systems(page, server);
  const [{ systems: expected }] = ranking(server);
  expect(expected.length).toBeGreaterThan(5);
  for (const { system, rank, letters, z } of expected) {
    const mean = z.mean
      .toFixed(2)
      .replace("-", "−")
      .replace(/^−(0\.00)$/, "$1");
    // A system with one output has no interval.
    const mark = page.getByRole("img", { name: `${system}: mean z-score ${mean}` });
    await expect(mark).toHaveAccessibleName(new RegExp(`rank ${rank} of ${expected.length}.*, letters? ${letters}$`));
  }
  // The heading says what the tests show, and the matrix which systems share a letter.
  const heading = page.locator("figure[data-file=systems-z] h2");
  await expect(heading).toHaveText(new RegExp(`^${expected[0].system} |^Too early`));
  await expect(page.locator(".chart-letters")).toContainText(/cannot be told apart, or not yet\. a: /);

  const csv = await download(page, "CSV: Mean z-score of each system");
  expect(csv.name).toBe("systems-z.csv");
  const [head, ...rows] = csv.bytes.toString().trimEnd().split("\r\n");
  expect(head).toContain("System,Kind,Rank,");
  const found = rows.map((row) => row.split(","));
  expect(found.map((row) => [row[0], row[1], Number(row[2]), Number(row[5])])).toEqual(
    expected.map((it) => [it.system, it.kind, it.z.rank, it.z.mean]),
  );

  await page.emulateMedia({ colorScheme: "dark" });
  const svg = await download(page, "SVG: Mean z-score of each system");
  expect(svg.name).toBe("systems-z.svg");
  const text = svg.bytes.toString();
  expect(text).toMatch(/^<svg[^>]* xmlns="http:\/\/www.w3.org\/2000\/svg"/);
  expect(text).not.toMatch(/class=|style=|var\(/);
  expect(text).toContain(expected[0].system);
  // The title is dark on white, whatever the page's colours are.
  expect(text).toMatch(/<text [^>]*fill="rgb\(29, 27, 22\)"[^>]*font-size="18px"/);
  // A file says what it shows, and where it comes from; with the switch it is the drawing alone.
  const foot = /n = \d+ outputs, \d+ raters · [^<]+ · \d{4}-\d\d-\d\d/;
  expect(text).toMatch(foot);
  expect(text).toContain((await page.locator("figure[data-file=systems-z] h2").textContent()).split(" ")[0]);
  await page.getByRole("checkbox", { name: "Drawing only: Mean z-score of each system" }).check();
  const alone = await download(page, "SVG: Mean z-score of each system");
  expect(alone.bytes.toString()).not.toMatch(foot);
  await page.getByRole("checkbox", { name: "Drawing only: Each pair of systems" }).uncheck();
  // Files have a white background for print, whatever the page's colours.
  expect(text).toMatch(/<rect [^>]*fill="rgb\(255, 255, 255\)"/);
  await expect(page.locator("figure.chart").first()).not.toHaveCSS("background-color", "rgb(255, 255, 255)");

  const png = await download(page, "PNG: Each pair of systems");
  expect(png.name).toBe("systems-pairs.png");
  expect(png.bytes.subarray(1, 4).toString()).toBe("PNG");
  const box = await page.locator("figure[data-file=systems-pairs] svg").evaluate((svg) => svg.viewBox.baseVal.width);
  expect(png.bytes.readUInt32BE(16)).toBe(Math.floor(2 * (box + 32)));

  // Words over a line are legible in every viewer. Few know `paint-order` or transparent colours: the edge of the words is
  // an element of its own, below them.
  await open(page, server, "/s/demo/agreement");
  const history = (await download(page, "SVG: Agreement over time")).bytes.toString();
  expect(history).not.toMatch(/paint-order|rgba\(|href=/);
  for (const words of ["0.80: firm conclusions", "0.67: tentative conclusions"]) {
    const [edge, text, ...more] = history.match(new RegExp(`<text[^>]*>${words}(?:<!---->)?</text>`, "g"));
    expect(more).toEqual([]);
    for (const part of ["fill", "stroke"]) expect(edge).toContain(` ${part}="rgb(255, 255, 255)"`);
    expect(text).toContain(' stroke="none"');
    expect(text).not.toContain("rgb(255, 255, 255)");
  }

  const [{ category, systems: of }] = ranking(server, "--by", "category");
  await open(page, server, `/s/demo/systems?category=${category}`);
  const first = page.locator("figure.chart g.mark").filter({ hasText: of[0].system }).first();
  await expect(first).toHaveAccessibleName(new RegExp(`of ${of.length}, `));

  // A spreadsheet runs no formulas from a file.
  const row = (system, rating) => ({ source_id: "1", source: "A b.", output: system, system, rater: "one", rating });
  const file = join(server.data, "rows.jsonl");
  const lines = [row("=1+1", 20), row(" @b", 50), row("c", 80)];
  writeFileSync(file, lines.map((it) => `${JSON.stringify(it)}\n`).join(""));
  server.command("import", "river", "--create", file);
  addMember(server, "rea", "river", "researcher");
  await open(page, server, "/s/river/systems");
  const hostile = await download(page, "CSV: Mean z-score of each system");
  const [, ...values] = hostile.bytes.toString().trimEnd().split("\r\n");
  const names = values.map((line) => line.split(",")[0]);
  expect(names.filter((name) => /^\s*[=+@-]/.test(name))).toEqual([]);
  expect(names).toContain("'=1+1");
  // Numbers stay numbers.
  expect(hostile.bytes.toString()).toMatch(/,-\d/);
});

test("an open table stays open in a shared address, and is loaded again where that failed", async ({
  page,
  server,
}) => {
  await systems(page, server);
  const fold = page.locator("details[data-fold=systems-z]");
  await fold.locator("summary").click();
  await expect(page).toHaveURL(/[?&]open=systems-z/);
  await page.reload();
  await expect(fold).toHaveAttribute("open", "");
  await page.getByRole("combobox", { name: "Category" }).selectOption("Split");
  await expect(page).toHaveURL(/category=split.*open=systems-z/);
  await expect(page.getByRole("combobox", { name: "Category" })).toBeFocused();
  await expect(page.getByRole("button", { name: "Show" })).toBeHidden();
  await expect(fold).toHaveAttribute("open", "");
  await fold.locator("summary").click();
  await expect(page).not.toHaveURL(/open=/);

  // Values that cannot be loaded say so.
  page.ignoreErrors(/ERR_|Failed to (load|fetch)/i);
  await open(page, server, "/s/demo/systems");
  await page.route(/open=systems.+z/, (route) => route.abort());
  await fold.locator("summary").click();
  await expect(fold.getByRole("status")).toHaveText(/could not be loaded/);
  await page.unroute(/open=systems.+z/);
  await page.route(/open=systems.+z/, (route) => route.fulfill({ status: 500, body: "Out of order" }));
  await page.getByRole("button", { name: "CSV: Mean z-score of each system" }).click();
  await expect(fold.getByRole("status")).toHaveText(/could not be loaded/);
  await page.unroute(/open=systems.+z/);
  await fold.locator("summary").click();
  await fold.locator("summary").click();
  await expect(fold.getByRole("table")).toBeVisible();
});
