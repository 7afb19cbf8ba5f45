import { accessible, awake, expect, open, shots, test } from "../support/test.js";
import { signInQuickly } from "../support/people.js";
import { begin, ready, rows, source, step, study } from "../support/work.js";

const mark = (page) => page.locator(".save-mark");
const gone = (page) => page.locator(".source .gone");
const lit = (page) => page.locator(".source .lit");

test("in step 2, undo keeps the focus, the source marks words, and the pop-up's heading fits the page's", async ({
  page,
  server,
}) => {
  study(server);
  await begin(page, server);
  await step(page, "Check edits");
  const first = page.locator(".edits-of", { hasText: "rusty" });
  const before = await first.locator(".unit.par").count();
  for (let time = 0; time < 3; time++) {
    await first.locator(".unit.par").first().press("Delete");
    await expect(first.locator(".unit.par")).toHaveCount(before - 1);
    await expect(page.locator(".unit:focus")).toHaveCount(1);
    await page.keyboard.press("Control+z");
    await expect(first.locator(".unit.par")).toHaveCount(before);
    await expect(first.locator(".unit:focus")).toHaveCount(1);
  }

  // The pop-up lights up its words.
  const output = page.locator(".edits-of", { hasText: "old boat" });
  await output.locator(".unit.par").first().click();
  await expect(page.getByRole("dialog")).toBeVisible();
  await expect(lit(page)).not.toHaveCount(0);
  await page.mouse.move(5, 5);
  await expect(lit(page)).not.toHaveCount(0);
  await page.keyboard.press("Escape");

  // The caption names the output that leaves the words out; the marks go once the pointer is away.
  const shorter = page
    .locator(".edits-of")
    .filter({ has: page.getByRole("toolbar", { name: "The ferry was withdrawn from service." }) });
  await shorter.hover();
  await expect(gone(page)).not.toHaveCount(0);
  const place = await shorter.locator(".place").innerText();
  await expect(page.locator(".source .by")).toHaveText(`left out by ${place}`);
  await page.mouse.move(5, 5);
  await expect(gone(page)).toHaveCount(0);

  await page.keyboard.press("u");
  await expect(page.locator(".source .sure")).toHaveText("the computer is not sure");
  await step(page, "Rank & rate");
  await expect(page.locator(".source .sure")).toHaveText("");
  await expect(gone(page)).toHaveCount(0);
  await rows(page)
    .filter({ hasText: /ferry\W*was withdrawn from service/ })
    .hover();
  await expect(gone(page)).not.toHaveCount(0);
  await page.mouse.move(5, 5);
  await expect(gone(page)).toHaveCount(0);

  // On a phone, the pop-up's heading is one level below the page's.
  await step(page, "Check edits");
  await page.setViewportSize({ width: 390, height: 844 });
  const levels = () =>
    page.evaluate(() =>
      [...document.querySelectorAll(":is(h1, h2, h3, h4):not(dialog:not([open]) *)")].map((it) => it.localName),
    );
  expect((await levels())[0]).toBe("h1");
  await page.locator(".unit.par").first().click();
  await expect(page.getByRole("dialog").getByRole("heading", { level: 2 })).toBeVisible();
  await accessible(page);
});

test.describe("while code is loading", () => {
  // What a service worker fetches, the test cannot hold back.
  test.use({ serviceWorkers: "block" });

  test("the workspace can be read and takes no answers, and a later step is drawn once its code is there", async ({
    page,
    server,
  }) => {
    study(server);
    await signInQuickly(page, server, "annotator 1");
    // Highlights of a new import are still being prepared: the page waits for them by itself.
    await open(page, server, "/s/river/work");
    const next = page.getByRole("button", { name: "Next source" });
    await expect(next).toBeVisible({ timeout: 20_000 });
    await awake(page);
    const exported = server.command("export", "river", "--format", "jsonl");
    expect(exported).toContain('"edits_version":"');
    expect(exported).not.toContain('"edits_version":"string');
    let release;
    const there = new Promise((done) => (release = done));
    await page.route("**/*.wasm*", async (route) => {
      await there;
      await route.continue();
    });
    page.ignoreErrors(/ERR_|Failed to (load|fetch)|wasm/i);
    let fails = true;
    await page.route("**/split_later_steps*", (route) => (fails ? route.abort() : route.continue()));
    await next.click();
    await expect(mark(page)).toHaveText("Loading…");
    await expect(page.getByText(source).first()).toBeVisible();
    const taken = () =>
      page.locator(".work button:visible").evaluateAll((all) => all.filter((it) => !it.closest("[inert]")).length);
    expect(await taken()).toBe(0);
    release();
    await page.locator(".work[data-ready]").waitFor();
    await expect(mark(page)).toHaveText("All changes saved");
    await expect(page.locator(".work [inert]")).toHaveCount(0);
    expect(await taken()).toBeGreaterThan(5);

    await page.getByRole("button", { name: "Continue to the edits" }).click();
    await expect(page.getByText("Loading this step…")).toBeVisible();
    await expect(mark(page)).toHaveText("All changes saved");
    const onwards = page.getByRole("button", { name: "Continue to rank & rate" });
    await expect(onwards).toBeDisabled();
    await shots(page, "work-loading-step");
    fails = false;
    await expect(page.locator(".unit.par").first()).toBeVisible({ timeout: 20_000 });
    await expect(page.getByText("Loading this step…")).toHaveCount(0);
    await expect(onwards).toBeEnabled();
    await expect(page.locator(".edits-of").first().locator(".unit:focus")).toHaveCount(1);

    // A page that opens with a later step waits for it.
    fails = true;
    await page.reload();
    await expect(mark(page)).toHaveText("Loading…");
    fails = false;
    await ready(page);
    await expect(page.locator(".unit.par").first()).toBeVisible();
  });
});

test("at 400 % zoom the focused element is never hidden, and an untouched slider stands out", async ({
  page,
  server,
}) => {
  study(server);
  await begin(page, server);
  await page.setViewportSize({ width: 320, height: 256 });
  for (const name of ["Categorise", "Check edits", "Rank & rate"]) {
    await step(page, name);
    await page.screenshot({ path: `shots/work-zoom-${name.split(" ")[0].toLowerCase()}.png` });
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect(overflow, name).toBeLessThanOrEqual(0);
    await page.evaluate(() => document.activeElement.blur());
    const hidden = [];
    for (let stop = 0; stop < 40; stop++) {
      await page.keyboard.press("Tab");
      await page.waitForTimeout(50);
      const covered = await page.evaluate(() => {
        const it = document.activeElement;
        if (it === document.body) return null;
        const box = it.getBoundingClientRect();
        // Some point of it is visible: at its corners, its edges or its middle.
        const seen = [0.05, 0.5, 0.95].some((x) =>
          [0.05, 0.25, 0.5, 0.75, 0.95].some((y) => {
            const top = document.elementFromPoint(box.left + box.width * x, box.top + box.height * y);
            return top !== null && (it.contains(top) || top.contains(it));
          }),
        );
        return seen ? null : it.outerHTML.slice(0, 120);
      });
      if (covered) hidden.push(covered);
    }
    expect(hidden, name).toEqual([]);
  }

  // An untouched slider stands out from its background.
  await page.setViewportSize({ width: 1280, height: 800 });
  for (const colorScheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    const ratio = async () => {
      const png = (await page.locator(".untouched input").first().screenshot()).toString("base64");
      return page.evaluate(async (png) => {
        const image = await createImageBitmap(new Blob([Uint8Array.from(atob(png), (it) => it.charCodeAt(0))]));
        const context = new OffscreenCanvas(image.width, image.height).getContext("2d");
        context.drawImage(image, 0, 0);
        const luminance = (x, y) => {
          const [r, g, b] = [...context.getImageData(x, y, 1, 1).data.slice(0, 3)].map((it) => {
            const part = it / 255;
            return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
          });
          return 0.2126 * r + 0.7152 * g + 0.0722 * b;
        };
        // A point on the track, and one above it.
        const x = Math.round(image.width / 3);
        const both = [luminance(x, Math.round(image.height / 2)), luminance(x, 2)];
        const [light, dark] = both.sort((one, other) => other - one);
        return (light + 0.05) / (dark + 0.05);
      }, png);
    };
    await expect.poll(ratio, { message: colorScheme }).toBeGreaterThanOrEqual(3);
  }
});
