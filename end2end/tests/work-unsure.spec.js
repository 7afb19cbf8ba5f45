import { accessible, expect, open, shots, test } from "../support/test.js";
import { begin, rows, saved, step, study, type } from "../support/work.js";
import { addMember, addPerson, signInQuickly } from "../support/people.js";
import { execFileSync } from "node:child_process";

const unsure = (page) => page.locator(".unit.unsure");
const way = (page) => page.getByRole("button", { name: "the aligner is not sure" });
const sure = (page) => page.locator(".source .sure");

test("edits that the aligner is unsure of are counted, marked and reached by a key", async ({ page, server }) => {
  study(server);
  await begin(page, server);
  await step(page, "Check edits");
  const count = Number((await way(page).innerText()).match(/^\d+/)[0]);
  expect(count).toBeGreaterThan(3);
  await expect(unsure(page).first()).toContainText("aligner unsure");
  await expect(sure(page)).toHaveText("");

  await page.keyboard.press("u");
  await expect(unsure(page).first()).toBeFocused();
  await expect(sure(page)).toHaveText(/^aligner: sure 0\.[0-6]\d$/);
  await page.keyboard.press("u");
  await expect(unsure(page).first()).not.toBeFocused();
  await expect(page.locator(".unit.unsure:focus")).toHaveCount(1);
  // It starts from the current position, and continues from the last edit to the first.
  await page.keyboard.press("Home");
  await page.keyboard.press("U");
  await expect(unsure(page).first()).toBeFocused();
  for (let at = 0; at < count; at++) {
    const before = await page.evaluate(() => document.activeElement.id);
    await page.keyboard.press("u");
    await expect(page.locator(".unit.unsure:focus")).not.toHaveId(before);
  }
  await expect(unsure(page).first()).toBeFocused();
  await way(page).click();
  await expect(unsure(page).first()).not.toBeFocused();
  await expect(page.locator(".unit.unsure:focus")).toHaveCount(1);

  // The pointer is over an edit that the aligner is sure of, then over one made by a person.
  await page.locator(".unit.caret:not(.unsure)").first().hover();
  await expect(sure(page)).toHaveText(/^aligner: sure (1\.00|0\.[7-9]\d)$/);
  await page.locator(".unit.unsure:focus").press("Delete");
  await expect(way(page)).toHaveText(`${count - 1} edits to check first: the aligner is not sure`);
  const word = page.locator(".unit:not(.par, .spl, .caret, .bars)").first();
  await word.press("p");
  await page.locator(".unit.par:focus").hover();
  await expect(sure(page)).toHaveText("");

  await page.mouse.move(0, 0);
  await page.keyboard.press("u");
  await accessible(page);
  await expect(sure(page)).toHaveText(/^aligner: sure 0\.[0-6]\d$/);
  await shots(page, "work-unsure");
  await page.keyboard.press("?");
  await expect(page.getByRole("dialog")).toContainText("to the next edit that the aligner is unsure of");
});

test("corrections are shown as a rate and exported as alignments", async ({ page, server }) => {
  study(server);
  await begin(page, server);
  await step(page, "Check edits");
  const first = page.locator(".edits-of", { hasText: "rusty" });
  await first.locator(".unit.par").first().click();
  await page.getByRole("dialog").getByRole("button", { name: "Not an edit" }).click();
  await expect(first.getByText("corrected by you")).toBeVisible();
  await step(page, "Rank & rate");
  for (const row of await rows(page).all()) await type(row, 50);
  await saved(page);
  const here = page.url();
  await page.getByRole("button", { name: "Hand in" }).click();
  await expect(page).not.toHaveURL(here);

  const figures = JSON.parse(server.command("agreement", "--study", "river", "--json")).corrections;
  expect(figures).toMatchObject({ outputs: 7, corrected: 1 });
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
  const lines = async () => {
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
  };
  const corrected = await lines();
  expect(corrected.length).toBe(1);
  expect(corrected[0].slice(10, 12)).toEqual(["annotator 1", "corrected"]);
  expect(corrected[0][7]).toMatch(/^\d+-\d+( \d+-\d+)*$/);
  await page.getByLabel("also highlights that annotators did not change").check();
  expect((await lines()).length).toBe(7);
});
