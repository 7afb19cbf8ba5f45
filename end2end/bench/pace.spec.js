// The pace of the workspace, measured and printed: `npx playwright test --config bench.config.js`.
import { expect, test } from "../support/test.js";
import { begin, rows, study } from "../support/work.js";

test("step changes and dragging on a slow machine", async ({ page, server, context }) => {
  test.slow();
  study(server, { many: 40 });
  await begin(page, server);
  const browser = await context.newCDPSession(page);
  const change = (name) =>
    page.evaluate(async (name) => {
      const button = [...document.querySelectorAll(".step")].find((it) => it.textContent.startsWith(name));
      const start = performance.now();
      button.click();
      await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
      return performance.now() - start;
    }, name);
  const names = ["Check edits", "Rank & rate", "Categorise"];
  const fastest = Object.fromEntries(names.map((name) => [name, Number.POSITIVE_INFINITY]));
  await browser.send("Emulation.setCPUThrottlingRate", { rate: 4 });
  for (let time = 0; time < 4; time++) {
    for (const name of names) {
      fastest[name] = Math.min(fastest[name], await change(name));
      await expect(page.locator(".chip, .edits-of, .row")).toHaveCount(39);
    }
  }
  console.log("step changes of 40 outputs at a quarter of the speed:", fastest);

  await change("Rank & rate");
  await expect(rows(page)).toHaveCount(39);
  let longest = Number.POSITIVE_INFINITY;
  for (let time = 0; time < 3; time++) {
    await page.evaluate(() => {
      globalThis.longTasks = [];
      globalThis.observer?.disconnect();
      globalThis.observer = new PerformanceObserver((tasks) => {
        for (const { duration } of tasks.getEntries()) globalThis.longTasks.push(duration);
      });
      globalThis.observer.observe({ entryTypes: ["longtask"] });
    });
    const box = await rows(page).nth(2).locator(".text").boundingBox();
    await page.mouse.move(box.x + 30, box.y + 10);
    await page.mouse.down();
    await page.mouse.move(box.x + 30, box.y + 130, { steps: 30 });
    await page.mouse.up();
    await page.waitForTimeout(300);
    longest = Math.min(longest, Math.max(0, ...(await page.evaluate(() => globalThis.longTasks))));
  }
  console.log(`longest task while dragging among 40 outputs: ${Math.round(longest)} ms`);
});
