import { accessible, expect, shots, test } from "../support/test.js";
import { begin, rows, saved, step, study, type } from "../support/work.js";

test("every step with 24 outputs is accessible and fits every screen", async ({ page, server }) => {
  // Axe takes about ten seconds for a step with 600 words that can be clicked.
  test.slow();
  study(server, { many: 24 });
  await begin(page, server);
  await accessible(page);
  await shots(page, "work-categorise");
  await page.locator(".chip").first().click();
  await accessible(page);
  await shots(page, "work-categorise-menu");
  await page.keyboard.press("Escape");

  await step(page, "Check edits");
  await accessible(page);
  await shots(page, "work-edits");
  await page.locator(".unit.par").first().click();
  await accessible(page);
  await shots(page, "work-edit");
  await page.getByRole("dialog").getByRole("button", { name: "Choose source words" }).click();
  await accessible(page);
  await shots(page, "work-source-words");
  await page.getByRole("button", { name: "Cancel" }).click();

  await step(page, "Rank & rate");
  for (const [at, score] of [72, 80, 80, 15].entries()) await type(rows(page).nth(at), score);
  await saved(page);
  await accessible(page);
  await shots(page, "work-rate");
  await page.getByRole("button", { name: "Submit" }).click();
  await accessible(page);
  await shots(page, "work-left");
  await page.keyboard.press("Escape");
  await page.keyboard.press("?");
  await accessible(page);
  await shots(page, "work-keys");
  await page.keyboard.press("Escape");
});

test("a source with 40 outputs shows all of them in each step, on screens of any width", async ({ page, server }) => {
  study(server, { many: 40 });
  await begin(page, server);
  for (const name of ["Check edits", "Rank & rate"]) {
    const took = await page.evaluate(async (name) => {
      const button = [...document.querySelectorAll(".step")].find((it) => it.textContent.startsWith(name));
      const start = performance.now();
      button.click();
      await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
      return performance.now() - start;
    }, name);
    console.log(`${name} with 40 outputs: ${Math.round(took)} ms`);
    await expect(page.getByRole("heading", { level: 1 })).toHaveText(name);
  }
  await expect(rows(page)).toHaveCount(39);
  for (const width of [320, 360, 600, 740, 840, 900, 1030, 1100, 1280, 2000]) {
    await page.setViewportSize({ width, height: 800 });
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect(overflow, `at ${width} pixels`).toBeLessThanOrEqual(0);
    await expect(page.getByRole("button", { name: "Keys and help" })).toBeInViewport({ ratio: 1 });
  }
});
