// Active time and keys of a source in three steps and output by output, by the workspace's own clock:
// `npx playwright test --config bench.config.js layouts`. The play is simulated. Reading and thinking take the
// times that the literature has for people: 238 words a minute (Brysbaert 2019), 0.28 s for a key and 1.35 s for a
// decision (the keystroke-level model of Card, Moran and Newell 1980).
import { expect, test } from "../support/test.js";
import { begin, rows, study } from "../support/work.js";

const wordMs = 60_000 / 238;
const keyMs = 280;
const decisionMs = 1350;

/** A simulated annotator: counts keys and lets the page's clock run as long as a person would take. */
async function player(page) {
  await page.clock.install();
  let keys = 0;
  let latest;
  page.on("request", (request) => {
    const report = request.url().includes("/save-changes") && request.postData()?.match(/\{"tab":.*?\}/);
    if (report) latest = JSON.parse(report[0]);
  });
  const pass = (ms) => page.clock.fastForward(Math.round(ms));
  return {
    read: async (text) => pass(text.trim().split(/\s+/).length * wordMs),
    decide: () => pass(decisionMs),
    press: async (...names) => {
      for (const name of names) {
        await pass(keyMs);
        await page.keyboard.press(name);
      }
      keys += names.length;
    },
    figures: async () => {
      await expect(page.locator(".save-mark")).toHaveText("All changes saved");
      const { categorise_ms, highlight_ms, rate_ms } = latest;
      const seconds = [categorise_ms, highlight_ms, rate_ms].map((ms) => Math.round(ms / 1000));
      return { keys, seconds, total: seconds.reduce((sum, part) => sum + part) };
    },
  };
}

const outputs = { many: 24, repeated: 3, sources: 1 };
const score = (at) => [...String(20 + ((at * 37) % 70))];

test("in three steps", async ({ page, server }) => {
  study(server, outputs);
  await begin(page, server);
  const { read, decide, press, figures } = await player(page);
  const source = await page.locator(".source .text").innerText();

  await read(source);
  const chips = await page.locator(".chip .text").allInnerTexts();
  for (const [at, text] of chips.entries()) {
    await read(text);
    await decide();
    if (at < 2) await press("3");
    if (at + 1 < chips.length) await press("j");
  }
  await press("Control+Enter");
  await expect(page.locator(".edits-of")).toHaveCount(chips.length);
  await read(source);
  for (const [at, text] of chips.entries()) {
    await read(text);
    await decide();
    if (at < 3) await press("u", "Delete");
    if (at + 1 < chips.length) await press("ArrowDown");
  }
  await press("Control+Enter");
  await expect(rows(page)).toHaveCount(chips.length);
  await read(source);
  for (const [at, text] of chips.entries()) {
    await read(text);
    await decide();
    await press(...score(at), "Enter");
  }
  await press("Shift+S");
  console.log("three steps:", await figures());
});

test("output by output", async ({ page, server }) => {
  study(server, { ...outputs, layout: "merged" });
  await begin(page, server);
  const { read, decide, press, figures } = await player(page);
  await read(await page.locator(".source .text").innerText());
  // The name of a handle ends with its text.
  const names = await page.locator(".handle").evaluateAll((all) => all.map((it) => it.ariaLabel));
  for (const [at, name] of names.entries()) {
    await read(name.slice(name.indexOf(": ") + 2));
    for (let part = 0; part < 3; part++) await decide();
    // Two categories and three marks are wrong, as above. The marks are looked up at the end.
    if (at < 2) await press("Alt+3");
    await press(...score(at), "Enter");
  }
  for (let mark = 0; mark < 3; mark++) await press("u", "Delete");
  await press("Shift+S");
  console.log("output by output:", await figures());
});
