import { expect, test } from "../support/test.js";
import { begin, ready, rows, saved, shown, step, study, type } from "../support/work.js";

/** Rates every row, with scores from `lowest` upwards, and adds a note to the first. */
async function judge(page, lowest, note) {
  await step(page, "Rank & rate");
  const count = await rows(page).count();
  for (let at = 0; at < count; at++) await type(rows(page).nth(at), lowest + at);
  await rows(page).first().locator(".handle").focus();
  await page.keyboard.press("n");
  await page.keyboard.type(note);
  await page.keyboard.press("Escape");
  await saved(page);
  return shown(page);
}

test("two annotators work at the same time and never see each other's answers", async ({ page, server, browser }) => {
  const names = ["annotator 1", "annotator 2"];
  study(server, { annotators: names, overlap: 2 });
  const second = await (await browser.newContext()).newPage();
  const pages = [page, second];
  await Promise.all(pages.map((it, at) => begin(it, server, names[at])));
  const notes = ["only the first one wrote this", "only the second one wrote this"];
  const entered = await Promise.all(pages.map((it, at) => judge(it, 10 + 50 * at, notes[at])));
  expect(page.url()).not.toBe(second.url());

  const alone = async (at) => {
    await pages[at].reload();
    await ready(pages[at]);
    expect(await shown(pages[at])).toEqual(entered[at]);
    await expect(pages[at].getByRole("textbox", { name: "Note" })).toHaveValue(notes[at]);
    expect(await pages[at].content()).not.toContain(notes[1 - at]);
  };
  await alone(0);
  await alone(1);
  for (const [at, it] of pages.entries()) {
    expect((await it.request.get(pages[1 - at].url())).status()).toBe(404);
    expect((await it.request.get(`${server.url}s/river/export/jsonl.zip`)).status()).toBe(403);
    expect((await it.request.get(`${server.url}s/river/sources`)).status()).toBe(403);
  }

  // The same holds when one has handed in and the other has not.
  const handIn = async (it) => {
    await it.getByRole("button", { name: "Submit" }).click();
    await expect(it).toHaveURL(/\/s\/river\/work$/);
  };
  const addresses = pages.map((it) => it.url());
  await handIn(page);
  await alone(1);
  expect((await second.request.get(addresses[0])).status()).toBe(404);
  await handIn(second);

  const lines = server.command("export", "river", "--format", "jsonl").trimEnd().split("\n");
  const given = {};
  for (const { output_id, twin_of, ratings } of lines.map((it) => JSON.parse(it))) {
    if (twin_of !== null) continue;
    for (const { rater, value } of ratings) {
      given[rater] = { ...given[rater], [`row-${output_id}`]: String(value) };
    }
  }
  const expected = entered.map((all) => Object.fromEntries(all.map(({ id, score }) => [id, score])));
  expect(Object.values(given)).toHaveLength(2);
  expect(Object.values(given)).toEqual(expect.arrayContaining(expected));
});
