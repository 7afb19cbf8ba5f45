import { accessible, awake, expect, notReached, open, shots, test } from "../support/test.js";

const scheme = (page) => page.evaluate(() => getComputedStyle(document.documentElement).colorScheme);

test("the start page is complete, accessible, and interactive", async ({ page, server }) => {
  await open(page, server);
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await accessible(page);
  await shots(page, "home");
});

test("an unknown address shows that the page is not found", async ({ page, server }) => {
  page.ignoreErrors(/404/);
  const response = await open(page, server, "/no/such/page");
  expect(response.status()).toBe(404);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Page not found");
  await accessible(page);
  await shots(page, "not-found");
});

test("the server stops on SIGTERM while a page is open", async ({ page, server }) => {
  // The page may still be loading a part of itself in the background.
  page.ignoreErrors(notReached);
  await open(page, server);
  await server.stop("SIGTERM");
  expect(server.process.exitCode).toBe(0);
});

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? "with JavaScript" : "without JavaScript", () => {
    test.use({ javaScriptEnabled });

    test("a form returns to its page, and the choice of colours is kept", async ({ page, server }) => {
      await page.goto(server.url);
      if (javaScriptEnabled) await awake(page);
      const dark = page.getByRole("button", { name: "Dark" });
      await dark.click();
      await expect(dark).toHaveAttribute("aria-pressed", "true");
      await expect(page).toHaveURL(server.url);
      expect(await page.locator("html").getAttribute("data-theme")).toBe("dark");
    });
  });
}

test("a refusal is shown beside the form", async ({ page, server }) => {
  page.ignoreErrors(/422/);
  await open(page, server);
  await page.getByRole("button", { name: "Dark" }).evaluate((it) => (it.value = "purple"));
  await page.getByRole("button", { name: "Dark" }).click();
  await expect(page.getByRole("alert").filter({ hasText: "Choose light" })).toBeVisible();
  expect(await scheme(page)).toBe("light dark");
});

test.describe("without JavaScript", () => {
  test.use({ javaScriptEnabled: false });

  test("a refusal is shown on the next page, once", async ({ page, server }) => {
    const post = await page.request.post(`${server.url}api/theme`, {
      form: { theme: "purple" },
      headers: { accept: "text/html", referer: server.url },
    });
    expect(await post.text()).toContain("Choose light, dark or system colours.");
    await page.goto(server.url);
    await expect(page.getByRole("alert").filter({ hasText: "Choose light" })).toHaveCount(0);
  });
});

test.describe("under a path of a larger site", () => {
  test.use({ flags: ["--base-path", "/rate"] });

  test("links, files and forms stay under that path", async ({ page, server }) => {
    expect(server.url).toMatch(/\/rate\/$/);
    await open(page, server);
    await page.getByRole("button", { name: "Dark" }).click();
    await expect(page.getByRole("button", { name: "Dark" })).toHaveAttribute("aria-pressed", "true");
    await page.getByRole("link", { name: "Rank & Rate" }).click();
    await expect(page).toHaveURL(server.url);
  });
});
