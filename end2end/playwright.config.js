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
  use: {
    launchOptions: chromium(),
    trace: "retain-on-failure",
    locale: "en-GB",
    timezoneId: "UTC",
  },
});
