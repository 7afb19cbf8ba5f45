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
  // No traces: they take a fifth of the time. `--trace retain-on-failure` keeps those of tests that fail.
  use: {
    launchOptions: chromium(),
    locale: "en-GB",
    timezoneId: "UTC",
  },
});
