import { defineConfig } from "@playwright/test";
import { chromium } from "./support/chromium.js";

export default defineConfig({
  testDir: "tests",
  outputDir: "test-results",
  forbidOnly: !!process.env.CI,
  fullyParallel: true,
  workers: Number(process.env.WORKERS ?? 2),
  timeout: 180_000,
  expect: { timeout: 20_000 },
  reporter: [["list"]],
  // Without a trace, which takes a fifth of the time: `npx playwright test --trace on` keeps one of a test that fails.
  use: {
    launchOptions: chromium(),
    locale: "en-GB",
    timezoneId: "UTC",
  },
});
