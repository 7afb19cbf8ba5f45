import AxeBuilder from "@axe-core/playwright";
import { test as base, expect } from "@playwright/test";
import { Server } from "./server.js";

/** Console errors about failed requests, for `page.ignoreErrors`. */
export const notReached = /ERR_|Failed to (load|fetch)/;

/**
 * Playwright's `test` with a fresh server for each test: `server`, with `baseURL` set to it.
 * `flags` are further flags of `rankrate serve`: `test.use({ flags: ["--base-path", "/rate"] })`.
 * A test fails on an uncaught error in any of its pages, in every browser context. It also fails on an
 * error in the console, including violations of the content security policy, unless the error matches
 * the pattern that was given last to `page.ignoreErrors` when it was logged.
 */
export const test = base.extend({
  flags: [[], { option: true }],
  server: async ({ flags, errors }, use) => {
    const server = await new Server(flags).start();
    await use(server);
    await errors.closeContexts();
    await server.remove();
  },
  baseURL: async ({ server }, use) => use(server.url),
  errors: [
    async ({ browser }, use) => {
      const errors = { uncaught: [], logged: [], expected: undefined };
      const contexts = [];
      const newContext = browser.newContext;
      browser.newContext = async (...options) => {
        const context = await newContext.apply(browser, options);
        contexts.push(context);
        watch(context, errors);
        return context;
      };
      // Before their server goes, which would be an error in an open page.
      errors.closeContexts = () => Promise.all(contexts.map((context) => context.close()));
      await use(errors);
      browser.newContext = newContext;
      expect(errors.uncaught, "uncaught errors").toEqual([]);
      expect(errors.logged, "errors in the console").toEqual([]);
    },
    { auto: true },
  ],
  context: async ({ context, errors }, use) => {
    watch(context, errors);
    await use(context);
  },
  page: async ({ page, errors }, use) => {
    page.ignoreErrors = (pattern) => {
      errors.expected = pattern;
    };
    await use(page);
  },
});

const watched = new WeakSet();

/** Collects the errors in the pages of a browser context. */
function watch(context, errors) {
  if (watched.has(context)) return;
  watched.add(context);
  context.on("weberror", (webError) => errors.uncaught.push(String(webError.error())));
  context.on("console", (message) => {
    if (message.type() === "error" && !errors.expected?.test(message.text())) errors.logged.push(message.text());
  });
}

export { expect };

/** Opens a page of the site by its path and waits until it is `awake`. */
export async function open(page, server, path = "/") {
  const response = await page.goto(server.url.replace(/\/$/, "") + path);
  await awake(page);
  return response;
}

/** Waits until the page's scripts have run and the workspace is hydrated. */
export async function awake(page) {
  await page.locator("body[data-hydrated]").waitFor();
}

/** Checks that axe finds no violations in the light and the dark theme. */
export async function accessible(page) {
  for (const colorScheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    // No page has frames. For those, axe would open another page each time, which takes as long as the check.
    const { violations } = await new AxeBuilder({ page }).setLegacyMode(true).analyze();
    const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html)}`);
    expect(found, `axe, ${colorScheme}`).toEqual([]);
  }
}

/** Checks that the open page loaded no WebAssembly and no script for it, and transferred at most 30 KiB in all. */
export async function light(page) {
  const loaded = await page.evaluate(() =>
    [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")].map(
      ({ name, encodedBodySize }) => ({ path: new URL(name).pathname, bytes: encodedBodySize }),
    ),
  );
  const workspace = loaded.filter(({ path }) => /\/pkg\/app.*\.(wasm|js)$/.test(path));
  expect(workspace, page.url()).toEqual([]);
  const sum = loaded.reduce((sum, { bytes }) => sum + bytes, 0);
  expect(sum, `bytes of ${page.url()}: ${JSON.stringify(loaded)}`).toBeGreaterThan(1000);
  expect(sum, `bytes of ${page.url()}: ${JSON.stringify(loaded)}`).toBeLessThanOrEqual(30 * 1024);
}

/** Takes screenshots into `shots/`: light, dark, and phone width. Checks that no page is wider than its screen. */
export async function shots(page, name) {
  const before = page.viewportSize();
  for (const [suffix, colorScheme, viewport] of [
    ["light", "light", { width: 1280, height: 900 }],
    ["dark", "dark", { width: 1280, height: 900 }],
    ["phone", "light", { width: 360, height: 780 }],
  ]) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await page.setViewportSize(viewport);
    // Elements that stick to the top of the window belong at the top of the picture.
    await page.evaluate(() => scrollTo({ top: 0, behavior: "instant" }));
    // Chromium on a busy machine sometimes never answers a request for a picture; the next one it does.
    await expect(() =>
      page.screenshot({ path: `shots/${name}-${suffix}.png`, fullPage: true, timeout: 20_000 }),
    ).toPass({ timeout: 90_000 });
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect(overflow, `${name} is wider than a ${suffix} screen`).toBeLessThanOrEqual(0);
  }
  await page.setViewportSize(before);
}
