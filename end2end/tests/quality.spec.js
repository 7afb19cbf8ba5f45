import { addMember, addPerson, signInQuickly } from "../support/people.js";
import { accessible, awake, expect, open, shots, test } from "../support/test.js";

/** Creates the demonstration study and signs in a member with that role. */
async function demonstration(page, server, role = "researcher") {
  server.command("demo");
  addPerson(server, "rea");
  addMember(server, "rea", "demo", role);
  await signInQuickly(page, server, "rea");
}

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? "with JavaScript" : "without JavaScript", () => {
    test.use({ javaScriptEnabled });

    test("raters are shown side by side, the most unusual first", async ({ page, server }) => {
      await demonstration(page, server);
      await page.goto(`${server.url}s/demo`);
      if (javaScriptEnabled) await awake(page);
      await page.getByRole("link", { name: "Results", exact: true }).click();
      if (javaScriptEnabled) await awake(page);
      await page.getByRole("link", { name: "Quality", exact: true }).click();
      await expect(page.getByRole("heading", { level: 1 })).toHaveText("Quality");
      const rows = page.getByRole("group", { name: "At a glance" }).getByRole("row");
      await expect(rows).toHaveCount(4);
      // The careless one of the three comes first, with the concerns in words.
      await expect(rows.nth(1)).toContainText("simulated 3");
      await expect(rows.nth(1)).toContainText("lowers agreement");
      await expect(rows.nth(1)).toContainText("faster than anyone can read");
      await expect(rows.nth(2)).toContainText("simulated 2");
      await expect(rows.nth(2)).toContainText("round numbers");
      await expect(rows.nth(3)).toContainText("nothing stands out");

      const careless = page.getByRole("article", { name: "simulated 3" });
      await expect(careless).toContainText("The others agree better without this rater");
      await expect(careless.getByRole("img")).toHaveAccessibleName(/^Scores of simulated 3: mean/);
      const rounds = page.getByRole("article", { name: "simulated 2" });
      await expect(rounds).toContainText(/100 % (\d+) of \1/);
      await expect(rounds).toContainText(/Multiples of five: (\d+) of \1 \(100 %\) scores\./);
      await expect(careless).toContainText(/Done faster than anyone can read: 1 of \d+/);

      await page.getByText("What the figures mean", { exact: true }).last().click();
      await expect(page.getByText("Interval Krippendorff's α of the z-scores")).toBeVisible();
      await page.getByLabel("Include sources that are still in progress").check();
      await page.getByRole("button", { name: "Show" }).click();
      await expect(page).toHaveURL(/count=in-work/);
      await expect(page.getByLabel("Include sources that are still in progress")).toBeChecked();
    });
  });
}

test("the page is accessible and fits every screen", async ({ page, server }) => {
  await demonstration(page, server, "lead");
  await open(page, server, "/s/demo/quality");
  for (const summary of await page.locator("details.terms > summary").all()) await summary.click();
  await accessible(page);
  await shots(page, "quality");
  await page.setViewportSize({ width: 320, height: 640 });
  await accessible(page);
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  expect(overflow).toBeLessThanOrEqual(0);
});
