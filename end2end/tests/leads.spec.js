import { testReading as test } from "../support/demonstration.js";
import { signInQuickly } from "../support/people.js";
import { accessible, awake, expect, open, shots } from "../support/test.js";

test.describe("times", () => {
  test.use({ timezoneId: "Asia/Tokyo" });

  test("are shown in the browser's own time zone, near ones in words", async ({ page, server }) => {
    await signInQuickly(page, server, "lea");
    await open(page, server, "/s/demo/log");
    const time = page.getByRole("main").locator("time").first();
    const exact = new Date(await time.getAttribute("datetime"));
    const clock = new Intl.DateTimeFormat("en-GB", { timeZone: "Asia/Tokyo", hour: "2-digit", minute: "2-digit" });
    await expect(time).toContainText(clock.format(exact));
    await expect(time).not.toContainText("UTC");
    await expect(time).toHaveAttribute("title", /\d{4} at .*GMT\+9/);
    await open(page, server, "/s/demo");
    await expect(page.locator(".activity time").first()).toHaveText(/ago|just now/);
    await expect(page.locator(".pace time, .activity time").last()).not.toContainText("UTC");
  });
});

test("short settings pages have their own tabs", async ({ page, server }) => {
  await signInQuickly(page, server, "lea");
  await open(page, server, "/s/demo/settings");
  const pages = page.getByRole("navigation", { name: "Settings" });
  for (const name of ["General", "Protocol", "Texts", "Scales", "Quality control", "Groups", "Privacy", "Advanced"]) {
    await pages.getByRole("link", { name, exact: true }).click();
    await awake(page);
    await expect(pages.getByRole("link", { name, exact: true })).toHaveAttribute("aria-current", "page");
    await expect(page.getByRole("main").locator("form .primary")).toHaveCount(1);
    await accessible(page);
    await shots(page, `settings-${name.toLowerCase().replace(" ", "-")}`);
  }
});
