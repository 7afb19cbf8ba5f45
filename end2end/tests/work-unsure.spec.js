import { accessible, expect, open, shots, test } from "../support/test.js";
import { begin, ready, rows, saved, source, step, study, type } from "../support/work.js";
import { addMember, addPerson, signInQuickly } from "../support/people.js";
import { execFileSync } from "node:child_process";

const unsure = (page) => page.locator(".unit.unsure");
const way = (page) => page.getByRole("button", { name: "the computer is not sure" });
const sure = (page) => page.locator(".source .sure");
const only = (page) => page.getByRole("button", { name: "Only outputs with doubtful marks" });
const left = async (page) => Number((await way(page).innerText()).match(/^\d+/)[0]);
const marks = (page) =>
  page.evaluate(() => {
    const edits = [...document.querySelectorAll(".unit:is(.caret, .bars, .par)")];
    return { all: edits.length, unsure: edits.filter((it) => it.matches(".unsure")).length };
  });

/** Rates all outputs and submits the source. */
async function rateAndSubmit(page) {
  await step(page, "Rank & rate");
  for (const row of await rows(page).all()) await type(row, 50);
  await saved(page);
  const here = page.url();
  await page.getByRole("button", { name: "Submit" }).click();
  await expect(page).not.toHaveURL(here);
}

/** The rows of the file of alignments, as a lead downloads it. */
async function alignments(page) {
  const begun = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download Corrected alignments" }).click();
  const archive = await (await begun).path();
  const args = [
    "-c",
    "import sys, zipfile\nz = zipfile.ZipFile(sys.argv[1])\nprint(z.read('river-alignments.tsv').decode(), end='')",
  ];
  const text = execFileSync("python3", [...args, archive], { encoding: "utf8" });
  const [header, ...rows] = text
    .trimEnd()
    .split("\n")
    .map((line) => line.split("\t"));
  expect(header[0]).toBe("output_id");
  return rows;
}

const corrections = (server) => JSON.parse(server.command("agreement", "--study", "river", "--json")).corrections;

test("edits that the aligner is unsure of are counted, marked and reached by a key", async ({ page, server }) => {
  study(server, { many: 24 });
  await begin(page, server);
  await step(page, "Check edits");
  const count = await left(page);
  expect(count).toBeGreaterThan(3);
  // At most one mark in ten.
  const { all, unsure: doubtful } = await marks(page);
  expect(count * 10).toBeLessThanOrEqual(all);
  expect(doubtful).toBeGreaterThanOrEqual(count);
  await expect(unsure(page).first()).toContainText(", not sure");
  await expect(sure(page)).toHaveText("");

  await page.keyboard.press("u");
  await expect(unsure(page).first()).toBeFocused();
  await expect(sure(page)).toHaveText("the computer is not sure");
  await page.keyboard.press("u");
  await expect(unsure(page).first()).not.toBeFocused();
  await expect(page.locator(".unit.unsure:focus")).toHaveCount(1);
  // From the last one it goes on to the first.
  for (let at = 1; at < count; at++) {
    const before = await page.evaluate(() => document.activeElement.id);
    await page.keyboard.press("U");
    await expect(page.locator(".unit.unsure:focus")).not.toHaveId(before);
  }
  await expect(unsure(page).first()).toBeFocused();
  await way(page).click();
  await expect(unsure(page).first()).not.toBeFocused();
  await expect(page.locator(".unit.unsure:focus")).toHaveCount(1);

  // The pointer is over an edit that the aligner is sure of.
  await page.locator(".unit.caret:not(.unsure)").first().hover();
  await expect(sure(page)).toHaveText("");
  await page.locator(".unit.unsure:focus").press("Delete");
  await expect.poll(() => left(page)).toBe(count - 1);
  await page.mouse.move(0, 0);
  await page.keyboard.press("u");
  await accessible(page);
  await expect(sure(page)).toHaveText("the computer is not sure");
  await shots(page, "work-unsure");
  await page.keyboard.press("?");
  await expect(page.getByRole("dialog")).toContainText("to the next doubtful mark");
  await page.keyboard.press("Escape");

  // The source keeps its lines while its words are chosen.
  const height = () => page.locator(".source .text").evaluate((it) => it.getBoundingClientRect().height);
  const before = await height();
  await page.locator(".unit.par").first().click();
  await page.getByRole("dialog").getByRole("button", { name: "Choose source words" }).click();
  expect(await height()).toBe(before);
});

test("U and Enter accept the doubtful marks until none is left, and only corrections are counted", async ({
  page,
  server,
}) => {
  study(server, { sources: 2 });
  await begin(page, server);
  await step(page, "Check edits");
  const outputs = page.locator(".edits-of");
  const all = await outputs.count();
  const withUnsure = await page.locator(".edits-of:has(.unsure)").count();
  await expect(only(page)).toHaveText(`Only outputs with doubtful marks (${withUnsure} of ${all})`);
  await only(page).click();
  await expect(page.locator(".edits-of:visible")).toHaveCount(withUnsure);
  await accessible(page);

  const count = await left(page);
  expect(count).toBeGreaterThan(0);
  for (let at = count; at > 0; at--) {
    await page.keyboard.press("u");
    await expect(page.locator(".unit.unsure:focus")).toHaveCount(1);
    const here = await page.evaluate(() => document.activeElement.id);
    await page.keyboard.press("Enter");
    await expect.poll(() => left(page)).toBe(at - 1);
    await expect(page.getByRole("dialog")).toHaveCount(0);
    await expect(page.locator(".unit:focus")).toHaveId(here);
  }
  await expect(unsure(page)).toHaveCount(0);
  await expect(way(page)).toBeDisabled();
  await expect(only(page)).toHaveText(`Only outputs with doubtful marks (0 of ${all})`);
  // Undo brings the last one back; it can also be accepted in its menu.
  await page.keyboard.press("Control+z");
  await expect.poll(() => left(page)).toBe(1);
  await unsure(page).first().click();
  await page.getByRole("dialog").getByRole("button", { name: "It is right" }).click();
  await expect.poll(() => left(page)).toBe(0);
  await only(page).click();
  await expect(page.locator(".edits-of:visible")).toHaveCount(all);
  await expect(page.getByText("corrected", { exact: true })).toHaveCount(0);

  await saved(page);
  await page.reload();
  await ready(page);
  await step(page, "Check edits");
  await expect(unsure(page)).toHaveCount(0);
  await rateAndSubmit(page);
  expect(corrections(server)).toMatchObject({ outputs: 7, corrected: 0 });

  // In the next source, one mark is no edit.
  await ready(page);
  await step(page, "Check edits");
  const first = page.locator(".edits-of", { hasText: "rusty" });
  await first.locator(".unit.par").first().click();
  await page.getByRole("dialog").getByRole("button", { name: "Not an edit" }).click();
  await expect(first.getByText("corrected", { exact: true })).toBeVisible();
  await rateAndSubmit(page);
  const figures = corrections(server);
  expect(figures).toMatchObject({ outputs: 14, corrected: 1 });
  expect(figures.paraphrase).toMatchObject({ taken_away: 1, changed: 0, added: 0 });
  expect(figures.deletion.rate).toBe(0);

  await page.context().clearCookies();
  addPerson(server, "lea");
  addMember(server, "lea", "river", "lead");
  await signInQuickly(page, server, "lea");
  await open(page, server, "/s/river/quality");
  const table = page.getByRole("group", { name: "Corrected highlights" });
  const rate = `${(100 * figures.paraphrase.rate).toFixed(1)} %`;
  await expect(table.getByRole("row", { name: "Paraphrase" })).toContainText(rate);
  await accessible(page);
  await shots(page, "quality-corrections");

  await open(page, server, "/s/river/export");
  const corrected = await alignments(page);
  expect(corrected.length).toBe(1);
  expect(corrected[0].slice(10, 12)).toEqual(["annotator 1", "corrected"]);
  expect(corrected[0][7]).toMatch(/^\d+-\d+( \d+-\d+)*$/);
  await page.getByLabel("also highlights that annotators did not change").check();
  expect((await alignments(page)).length).toBe(14);
});

test("words left out are shown at their caret and become a replacement, moved words are underlined", async ({
  page,
  server,
}) => {
  const moved =
    "Since 1911 the old ferry, which had carried timber across the estuary, was withdrawn from service after " +
    "inspectors discovered extensive corrosion beneath its hull.";
  const more = source.replace("corrosion beneath", "corrosion, beneath");
  const removed = "The ferry was withdrawn from service.";
  study(server, { own: [removed, moved, source.replaceAll(",", ""), more] });
  await begin(page, server);
  await step(page, "Check edits");
  const of = (text) => page.locator(".edits-of").filter({ has: page.getByRole("toolbar", { name: text }) });
  const output = of(removed);
  const caret = output.locator(".unit.caret").first();
  const chip = () => caret.evaluate((it) => getComputedStyle(it, "::before").display);
  expect(await chip()).toBe("none");
  await caret.hover();
  await expect(caret).toHaveAttribute("data-words", /\w/);
  await expect.poll(chip).not.toBe("none");
  const { width, height } = await caret.boundingBox();
  expect(Math.min(width, height)).toBeGreaterThanOrEqual(24);
  await page.mouse.move(0, 0);
  await expect.poll(chip).toBe("none");
  await page.getByRole("button", { name: "Show words left out" }).click();
  await expect.poll(chip).toBe("inline");
  await accessible(page);
  await shots(page, "work-left-out");
  await page.setViewportSize({ width: 390, height: 844 });
  const overflow = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  expect(await overflow()).toBeLessThanOrEqual(0);
  await page.getByRole("button", { name: "Show words left out" }).click();
  for (const each of await output.locator(".unit.caret").all()) {
    await each.hover();
    expect(await overflow()).toBeLessThanOrEqual(0);
  }
  await page.setViewportSize({ width: 1280, height: 800 });

  // The word after the caret is marked as new, then replaces the words left out.
  const carets = await output.locator(".unit.caret").count();
  const words = await caret.getAttribute("data-words");
  const next = output.locator(".unit.caret + .unit").first();
  await next.press("p");
  const fresh = output.locator(".unit.par:focus");
  await expect(fresh).toHaveCount(1);
  await fresh.press("Enter");
  const dialog = page.getByRole("dialog");
  await expect(dialog).toContainText("new words");
  await expect(dialog.getByRole("button").first()).toHaveText(/^Replaces “/);
  await accessible(page);
  await dialog.getByRole("button", { name: "Replaces" }).click();
  await expect(output.locator(".unit.caret")).toHaveCount(carets - 1);
  await output.locator(".unit.par").first().click();
  await expect(dialog).toContainText(`for “${words}”`);
  await page.keyboard.press("Escape");

  // A change of commas alone carries no mark, until a person marks the comma.
  const marked = ".unit:is(.moved, .caret, .par, .bars)";
  await expect(of("Since 1911").locator(".unit.moved")).toHaveText(["Since", "1911"]);
  await expect(of("The old ferry which").locator(marked)).toHaveCount(0);
  await expect(of("corrosion, beneath").locator(marked)).toHaveCount(0);
  // A person can mark the comma.
  await of("corrosion, beneath").locator(".unit", { hasText: /^,$/ }).last().press("p");
  await expect(of("corrosion, beneath").locator(marked)).toHaveText(/^,/);
});
