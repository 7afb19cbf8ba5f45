import AxeBuilder from "@axe-core/playwright";
import { test as base, expect } from "@playwright/test";
import { Server } from "./server.js";

let runsScripts = true;

/** What the console says of requests that did not come through: for `page.ignoreErrors`. */
export const notReached = /ERR_|Failed to (load|fetch)/;

/**
 * Playwright's `test` with a fresh server for each test: `server`, with `baseURL` set to it.
 * `flags` are further flags of `rankrate serve`: `test.use({ flags: ["--base-path", "/rate"] })`.
 * An uncaught error in any page of a test fails it, whatever browser context the page is in. So does
 * an error in the console, those of the content security policy among them, but for what
 * `page.ignoreErrors` was told to expect there.
 */
export const test = base.extend({
  runsScripts: [
    async ({ javaScriptEnabled }, use) => {
      runsScripts = javaScriptEnabled !== false;
      await use(runsScripts);
    },
    { auto: true },
  ],
  flags: [[], { option: true }],
  server: async ({ flags }, use) => {
    const server = await new Server(flags).start();
    await use(server);
    await server.remove();
  },
  baseURL: async ({ server }, use) => use(server.url),
  errors: [
    async ({ browser }, use) => {
      const errors = { uncaught: [], logged: [], expected: undefined };
      const newContext = browser.newContext;
      browser.newContext = async (...options) => {
        const context = await newContext.apply(browser, options);
        watch(context, errors);
        return context;
      };
      await use(errors);
      browser.newContext = newContext;
      expect(errors.uncaught, "uncaught errors").toEqual([]);
      expect(
        errors.logged.filter((error) => !errors.expected?.test(error)),
        "errors in the console",
      ).toEqual([]);
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

/** Collects what goes wrong in the pages of a browser context. */
function watch(context, errors) {
  if (watched.has(context)) return;
  watched.add(context);
  context.on("weberror", (webError) => {
    const error = String(webError.error());
    // The fade between two pages is the browser's own: where it gives it up, nothing is missing.
    if (!/Transition was (aborted|skipped)/.test(error)) errors.uncaught.push(error);
  });
  context.on("console", (message) => {
    if (message.type() === "error") errors.logged.push(message.text());
  });
}

export { expect };

/** Opens a page of the site, by its path within it, and waits until it is `awake`. */
export async function open(page, server, path = "/") {
  const response = await page.goto(server.url.replace(/\/$/, "") + path);
  await awake(page);
  return response;
}

/** Waits until the page's islands are awake, where scripts run. */
export async function awake(page) {
  if (runsScripts) await page.locator("body[data-hydrated]").waitFor();
}

/** Axe finds nothing, in light and in dark. */
export async function accessible(page) {
  for (const colorScheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    const { violations } = await new AxeBuilder({ page }).analyze();
    const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html)}`);
    expect(found, `axe, ${colorScheme}`).toEqual([]);
  }
}

/** Screenshots into `shots/`: light, dark, and phone width; no page is wider than its screen. */
export async function shots(page, name) {
  const before = page.viewportSize();
  for (const [suffix, colorScheme, viewport] of [
    ["light", "light", { width: 1280, height: 900 }],
    ["dark", "dark", { width: 1280, height: 900 }],
    ["phone", "light", { width: 360, height: 780 }],
  ]) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await page.setViewportSize(viewport);
    // What sticks to the window's upper edge belongs at the picture's.
    await page.evaluate(() => scrollTo({ top: 0, behavior: "instant" }));
    await page.screenshot({ path: `shots/${name}-${suffix}.png`, fullPage: true });
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect(overflow, `${name} is wider than a ${suffix} screen`).toBeLessThanOrEqual(0);
  }
  await page.setViewportSize(before);
}
