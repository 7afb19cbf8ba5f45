import { test, testReading } from "../support/demonstration.js";
import { signInQuickly } from "../support/people.js";
import { accessible, expect, open, shots } from "../support/test.js";

testReading("every page of the demonstration shows data", async ({ page, server }) => {
  await signInQuickly(page, server, "lea");
  const main = page.getByRole("main");
  for (const [path, name, ...shown] of [
    [
      "",
      "overview",
      "newcomer (simulated) is waiting to be admitted",
      /Off by \d+ points on average, limit 10/,
      "6 done",
    ],
    ["/sources", "sources", "observatory"],
    ["/import", "import", "Import"],
    ["/members", "people", "newcomer (simulated)", /Off by \d+ points on average, limit 10/],
    ["/assignments?show=all", "assignments", "simulated 1"],
    ["/settings", "settings", "Annotators for each source"],
    ["/settings/quality-control", "settings-quality-control", "one source in"],
    ["/training", "training", "qualification-bakery"],
    ["/agreement", "agreement", "simulated 1"],
    ["/quality", "quality", "faster than anyone can read", "Repeated outputs"],
    ["/systems", "systems", "editor-4"],
    ["/metrics", "metrics", "external (simulated)", "sari"],
    ["/ratings", "ratings", "simulated 3"],
    ["/reading", "reading", "4 passages, 2 conditions, 12 questions.", "simulated reader 1"],
    ["/reading/passages", "reading-passages", "The orchard"],
    ["/reading/analysis", "reading-analysis", "Simplified"],
    ["/export", "export", "JSON lines"],
  ]) {
    await open(page, server, `/s/demo${path}`);
    for (const text of shown) await expect(main, `${path}: ${text}`).toContainText(text, { timeout: 30_000 });
    await shots(page, `demo-${name}`);
  }
});

test("a lead sees a newcomer's answers before admitting them", async ({ page, server }) => {
  await signInQuickly(page, server, "lea");
  await open(page, server, "/s/demo");
  const todo = page.getByRole("region", { name: "To do" });
  await expect(todo.getByRole("link", { name: "Write the guidelines" })).toHaveCount(0);
  await todo.getByRole("link", { name: "See the answers of newcomer (simulated)" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Qualification of newcomer (simulated)");
  await expect(page.getByRole("row")).toHaveCount(6);
  await expect(page.getByRole("row").nth(4)).toContainText("40 ± 5");
  await accessible(page);
  await expect(page.getByRole("button", { name: "Admit" })).toBeVisible();
  await shots(page, "qualification");
  await page.getByRole("link", { name: "Members" }).first().click();
  const row = page.getByRole("row", { name: /^newcomer \(simulated\)/ });
  await expect(row).toContainText(/Off by \d+ points on average, limit 10; categories \d+ %, limit 80 %\./);
  await accessible(page);
  await row.getByRole("button", { name: "Admit" }).click();
  await expect(page.getByText("The annotator has been admitted.")).toBeVisible();
  await expect(row.getByRole("button", { name: "Admit" })).toHaveCount(0);
  await open(page, server, "/s/demo");
  await expect(page.getByText("is waiting to be admitted")).toHaveCount(0);
  const activity = page.locator(".activity");
  await expect(activity).toBeVisible();
  expect(await activity.textContent()).not.toMatch(/Background|×|metric:|job/);
});

testReading("a chart is one Tab stop, and arrow keys move between its marks", async ({ page, server }) => {
  await signInQuickly(page, server, "lea");
  await open(page, server, "/s/demo/systems");
  const figure = page.locator("figure[data-file=systems-z]");
  const marks = figure.locator(".wide .mark");
  expect(await marks.count()).toBeGreaterThan(20);
  await expect(figure.locator('.wide [tabindex="0"]')).toHaveCount(1);
  await expect(figure.locator(".wide")).toHaveAttribute("tabindex", "-1");
  await marks.first().focus();
  await page.keyboard.press("ArrowDown");
  await expect(marks.nth(1)).toBeFocused();
  await page.keyboard.press("End");
  await expect(marks.last()).toBeFocused();
  await page.keyboard.press("ArrowUp");
  await expect(marks.last()).not.toBeFocused();
  await page.keyboard.press("Home");
  await expect(marks.first()).toBeFocused();
  await page.keyboard.press("Tab");
  await expect(figure.locator(".mark:focus")).toHaveCount(0);
  // In the matrix of pairs, arrow keys move in two directions.
  const cells = page.locator("figure[data-file=systems-pairs] .mark");
  await cells.first().focus();
  await page.keyboard.press("ArrowDown");
  await expect(cells.first()).not.toBeFocused();
  await expect(page.locator("figure[data-file=systems-pairs] .mark:focus")).toHaveCount(1);
});

testReading("on a phone the current tab is in view, and an edge with more tabs fades", async ({ page, server }) => {
  await signInQuickly(page, server, "lea");
  await page.setViewportSize({ width: 360, height: 780 });
  for (const [path, edges] of [
    ["/agreement", "after"],
    ["/systems", "both"],
    ["/reading", "before"],
  ]) {
    await open(page, server, `/s/demo${path}`);
    const study = page.getByRole("navigation", { name: "Study" });
    await expect(study.locator("[aria-current=true]")).toBeInViewport({ ratio: 1 });
    const tabs = page.getByRole("navigation", { name: "Results" });
    await expect(tabs.locator("[aria-current=page]")).toBeInViewport({ ratio: 0.99 });
    if (edges !== "before") await expect(tabs).toHaveAttribute("data-after", "");
    if (edges !== "after") await expect(tabs).toHaveAttribute("data-before", "");
  }
  await page.screenshot({ path: "shots/tabs-phone.png" });
});

testReading("the demonstration's agreement page shows its figures", async ({ page, server }) => {
  await signInQuickly(page, server, "lea");
  await open(page, server, "/s/demo/agreement");
  await expect(page.locator("figure[data-file=agreement-pairs]")).toBeVisible();
  // A sentence reads the figure by the usual limits.
  await expect(page.locator("h2.finding")).toHaveText(/^(Raters|Too early)/);
  await expect(page.getByText("from 0.67 to 0.80, only tentative ones")).toBeVisible();
  await accessible(page);
  await shots(page, "agreement");
  // On a phone charts have a drawing that fits, and need no scrolling.
  await page.setViewportSize({ width: 390, height: 800 });
  for (const file of ["agreement-over-time", "agreement-by-category", "agreement-raters"]) {
    const drawing = page.locator(`figure[data-file=${file}] .narrow`);
    if ((await drawing.count()) === 0) continue;
    await expect(drawing).toBeVisible();
    expect(await drawing.evaluate((box) => box.scrollWidth - box.clientWidth)).toBeLessThanOrEqual(1);
  }
});
