import { accessible, awake, expect, notReached, open, shots, test } from "../support/test.js";

const scheme = (page) => page.evaluate(() => getComputedStyle(document.documentElement).colorScheme);

// The site is served under a path of a larger one; other tests have it at the root.
test.use({ flags: ["--base-path", "/rate"] });

test("pages for everybody are accessible under the path of the site, and a refusal is shown beside the form", async ({
  page,
  server,
}) => {
  // A fade between two pages that the browser skips is no error.
  await page.addInitScript(() => addEventListener("pagereveal", (event) => event.viewTransition?.skipTransition()));
  page.ignoreErrors(/404/);
  await open(page, server, "/no/such/page");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Page not found");
  page.ignoreErrors(undefined);
  await accessible(page);
  await shots(page, "not-found");
  await page.getByRole("link", { name: "Rank & Rate" }).click();
  await expect(page).toHaveURL(/\/rate\/$/);
  await awake(page);
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await accessible(page);
  await shots(page, "home");

  await page.getByRole("button", { name: "Dark" }).evaluate((it) => (it.value = "purple"));
  page.ignoreErrors(/422/);
  await page.getByRole("button", { name: "Dark" }).click();
  await expect(page.getByRole("alert").filter({ hasText: "Choose light" })).toBeVisible();
  page.ignoreErrors(undefined);
  expect(await scheme(page)).toBe("light dark");
  // Without the changed value the form returns to its page.
  await open(page, server);
  const dark = page.getByRole("button", { name: "Dark" });
  await dark.click();
  await expect(dark).toHaveAttribute("aria-pressed", "true");
  await expect(page).toHaveURL(server.url);
  expect(await page.locator("html").getAttribute("data-theme")).toBe("dark");

  // The server stops while a page is open, which may still be loading a part of itself in the background.
  page.ignoreErrors(notReached);
  await server.stop("SIGTERM");
  expect(server.process.exitCode).toBe(0);
});
