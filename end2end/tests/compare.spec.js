import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { addMember, addPerson, signInQuickly } from "../support/people.js";
import { accessible, awake, expect, notReached, open, shots, test } from "../support/test.js";
import { begin, ready, saved, study } from "../support/work.js";

const own = [
  "The ferry stopped running. Inspectors had found rust.",
  "The old ferry was withdrawn after inspectors discovered corrosion.",
  "The ferry was taken out of service.",
];
const heading = (page) => page.getByRole("heading", { level: 2, name: /^Comparison/ });
const choice = (page, name) => page.getByRole("radio", { name });

test("two outputs are compared by keys and by the mouse, and the next two come up", async ({ page, server }) => {
  study(server, { template: "pairwise", own, sources: 2 });
  await begin(page, server);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Compare");
  await expect(heading(page)).toHaveText("Comparison 1 of 3");
  await expect(heading(page)).toBeFocused();
  await expect(page.locator(".compared")).toHaveCount(2);
  await accessible(page);
  await shots(page, "work-compare");

  // A click on a text takes no key away.
  await page.locator(".compared .text").first().click();
  await page.keyboard.press("b");
  await expect(heading(page)).toHaveText("Comparison 2 of 3");
  await expect(heading(page)).toBeFocused();
  await page.locator("label", { hasText: "Neither is better" }).click();
  await expect(heading(page)).toHaveText("Comparison 3 of 3");

  // Back, with the choice as it was; undone and done again.
  await page.keyboard.press("k");
  await expect(heading(page)).toHaveText("Comparison 2 of 3");
  await expect(choice(page, "Neither is better")).toBeChecked();
  await page.keyboard.press("j");
  await page.keyboard.press("Control+z");
  await expect(heading(page)).toHaveText("Comparison 2 of 3");
  await expect(choice(page, "Neither is better")).not.toBeChecked();
  await page.keyboard.press("Control+Shift+Z");
  await expect(choice(page, "Neither is better")).toBeChecked();
  await saved(page);
  await page.reload();
  await ready(page);
  await expect(heading(page)).toHaveText("Comparison 3 of 3");
  await expect(page.locator(".work-foot")).toContainText("1 comparison left");

  // The refusal names the missing part and links to it.
  await page.getByRole("button", { name: "Submit" }).click();
  const dialog = page.getByRole("dialog", { name: "Not ready to submit" });
  await expect(dialog.getByRole("listitem")).toHaveText(["Comparison 3 is not answered"]);
  await dialog.getByRole("button", { name: "Comparison 3" }).click();
  await page.keyboard.press("A");
  await expect(page.getByText("All comparisons are made.", { exact: true })).toBeVisible();
  // All is answered: the source can be submitted from any of its comparisons, also after a reload.
  await saved(page);
  await page.reload();
  await ready(page);
  await expect(heading(page)).toHaveText("Comparison 1 of 3");
  await expect(page.getByRole("button", { name: "Submit" })).toBeVisible();
  const first = page.url();
  await page.keyboard.press("Control+Enter");
  await expect(page).not.toHaveURL(first);

  const table = server.command("export", "river", "--format", "comparisons");
  expect(table).toContain("source_id,rater,dimension,system_1,system_2");
  expect(table.trim().split("\n")).toHaveLength(4);
  const report = JSON.parse(server.command("pairwise", "river", "--json", "--bootstrap", "0"));
  expect(report.dimensions[0]).toMatchObject({ dimension: "overall", comparisons: 3, sources: 1, raters: 1 });
  // The file that is exported gives the same figures.
  const file = join(server.data, "comparisons.csv");
  writeFileSync(file, table);
  expect(JSON.parse(server.command("pairwise", file, "--json", "--bootstrap", "0"))).toEqual(report);

  await tryWithArrows(page);
});

/** Compares the outputs of the next source, the first two with the arrow keys, submits it and looks at it again. */
async function tryWithArrows(page) {
  await ready(page);
  const path = new URL(page.url()).pathname;
  await choice(page, "A is better").focus();
  await page.keyboard.press("ArrowRight");
  await expect(choice(page, "Neither is better")).toBeChecked();
  await page.keyboard.press("ArrowRight");
  await expect(choice(page, "B is better")).toBeChecked();
  await expect(heading(page)).toHaveText("Comparison 1 of 3");
  await page.keyboard.press("Enter");
  await expect(heading(page)).toHaveText("Comparison 2 of 3");
  await page.keyboard.press("a");
  await page.keyboard.press("b");
  await expect(page.getByText("All comparisons are made.", { exact: true })).toBeVisible();
  await page.keyboard.press("Control+Enter");
  await expect(page).toHaveURL(/\/s\/river\/work$/);

  // A submitted source shows all of its comparisons.
  await page.getByRole("table").locator(`a[href="${path}"]`).click();
  await ready(page);
  await page.getByRole("button", { name: "Next comparison" }).click();
  await expect(heading(page)).toHaveText("Comparison 2 of 3");
  await expect(choice(page, "A is better")).toBeChecked();
  await expect(choice(page, "A is better")).toBeDisabled();
}

test("the best and the worst of several are chosen, one after the other", async ({ page, server }) => {
  const five = [...own, "A ferry from 1911 is gone.", "Rust ended the old ferry."];
  study(server, { template: "best-worst", own: five });
  await begin(page, server);
  await expect(page.locator(".compared")).toHaveCount(4);
  const tops = () => page.locator(".compared").evaluateAll((all) => all.map((it) => it.getBoundingClientRect().top));
  for (const [width, lines] of [
    [1440, 2],
    [1280, 2],
    [390, 4],
  ]) {
    await page.setViewportSize({ width, height: 900 });
    const top = await tops();
    expect(new Set(top).size, `at ${width} pixels`).toBe(lines);
    expect(top[1] === top[0], `at ${width} pixels`).toBe(lines === 2);
  }
  await page.setViewportSize({ width: 1280, height: 720 });
  await heading(page).focus();
  await page.keyboard.press("c");
  await expect(heading(page)).toHaveText("Comparison 1 of 5");
  const worst = page.getByRole("group", { name: "Which one is the worst?" });
  await expect(worst.getByRole("radio", { name: "Output C" })).toBeDisabled();
  await page.keyboard.press("Shift+C");
  // An output cannot be both.
  await expect(page.getByRole("radio", { checked: true })).toHaveCount(1);
  await shots(page, "work-best-worst");
  await accessible(page);
  await page.keyboard.press("a");
  await expect(heading(page)).toHaveText("Comparison 2 of 5");
  await page.getByRole("group", { name: "Which one is the best?" }).getByText("Output B").click();
  await page.getByRole("group", { name: "Which one is the worst?" }).getByText("Output D").click();
  await expect(heading(page)).toHaveText("Comparison 3 of 5");
});

test("choices made offline are kept and sent once the server is back", async ({ page, server }) => {
  study(server, { template: "pairwise", many: 41 });
  await begin(page, server);
  await expect(heading(page)).toHaveText("Comparison 1 of 780"); // 40 different texts.
  page.ignoreErrors(notReached);
  await server.stop("SIGKILL");
  for (const key of "ab0") await page.keyboard.press(key);
  await expect(page.locator(".save-mark")).toHaveText("Offline: 3 changes waiting");
  await server.start();
  await expect(page.locator(".save-mark")).toHaveText("All changes saved", { timeout: 45_000 });
  await page.reload();
  await ready(page);
  await expect(heading(page)).toHaveText("Comparison 4 of 780");
});

test("a tutorial says after each choice what is expected", async ({ page, server }) => {
  server.command("study", "create", "river", "--name", "River study", "--template", "pairwise", "--tutorial");
  addPerson(server, "ann");
  addMember(server, "ann", "river", "annotator");
  await begin(page, server, "ann");
  await expect(heading(page)).toHaveText("Comparison 1 of 10");
  await page.keyboard.press("a");
  await expect(page.locator(".feedback .callout")).toContainText(/^(Right|Not as expected): /);
  await expect(heading(page)).toHaveText("Comparison 1 of 10");
  await shots(page, "work-compare-tutorial");
  await page.keyboard.press("Control+Enter");
  await expect(heading(page)).toHaveText("Comparison 2 of 10");
});

test("pairs are chosen by what is least certain, the same ones for each annotator", async ({ page, server }) => {
  addPerson(server, "lea", "--admin");
  const outputs = [...own, "Inspectors found rust. The ferry is gone."];
  const annotators = ["annotator 1", "annotator 2"];
  study(server, { template: "pairwise", own: outputs, overlap: 2, annotators });
  await signInQuickly(page, server, "lea");
  await open(page, server, "/s/river/settings/protocol");
  await page.getByLabel("Comparisons of each output").fill("1");
  await page.getByLabel("Choose the pairs that are least certain").check();
  await page.getByRole("button", { name: "Save the protocol" }).click();
  await expect(page.getByText("The protocol has been saved.")).toBeVisible();
  await expect(page.getByLabel("Choose the pairs that are least certain")).toBeChecked();
  await accessible(page);
  await shots(page, "lead-settings-adaptive");
  const pairs = [];
  for (const name of annotators) {
    await begin(page, server, name);
    await expect(heading(page)).toHaveText("Comparison 1 of 2");
    const shown = await page.locator(".compared .text").allTextContents();
    pairs.push(shown.sort().join());
    await page.keyboard.press("a");
    await expect(heading(page)).toHaveText("Comparison 2 of 2");
    const second = await page.locator(".compared .text").allTextContents();
    pairs.push(second.sort().join());
    await page.keyboard.press("a");
    await expect(page.getByText("All comparisons are made.", { exact: true })).toBeVisible();
    await saved(page);
  }
  expect(new Set(pairs).size).toBe(2);
});

test("a lead sets up comparisons and reads who beats whom", async ({ page, server }) => {
  addPerson(server, "lea", "--admin");
  study(server, { template: "pairwise", own, sources: 7 });
  await begin(page, server);
  for (let source = 1; source <= 7; source += 1) {
    // The longest output is the best.
    for (let comparison = 1; comparison <= 3; comparison += 1) {
      await expect(heading(page)).toHaveText(`Comparison ${comparison} of 3`);
      const [a, b] = await page.locator(".compared .text").allTextContents();
      await page.keyboard.press(a.length > b.length ? "a" : "b");
    }
    await expect(page.getByText("All comparisons are made.", { exact: true })).toBeVisible();
    await page.keyboard.press("Control+Enter");
    if (source === 7) break;
    await expect(page.getByText("3 comparisons left")).toBeVisible();
    await awake(page);
  }
  await expect(page).toHaveURL(/\/s\/river\/work$/);
  await signInQuickly(page, server, "lea");
  await open(page, server, "/s/river/systems");
  await expect(page.getByText("Some systems never lose to the others")).toBeVisible();
  await expect(page.getByText("All 3 pairs of systems differ by more than chance")).toBeVisible();
  await accessible(page);
  await shots(page, "lead-systems-compared");
  await open(page, server, "/s/river/agreement");
  await expect(page.getByText("Agreement cannot be computed yet")).toBeVisible();

  await open(page, server, "/s/river/metrics");
  await expect(page.getByText("Choose metrics above and score the outputs")).toBeVisible();
  await page.getByRole("button", { name: "Score", exact: true }).click();
  // The page is loaded again once scoring is over: then the form is folded.
  await expect(page.locator("details.scoring:not([open])")).toBeVisible();
  const preferences = page.locator("figure[data-file=metrics-preferences]");
  const mark = preferences.locator(".wide").getByRole("img", { name: "compression: Kendall-tau-like" });
  await expect(mark).toBeVisible();
  await expect(page.getByText("Outputs compared")).toBeVisible();
  await preferences.getByText("Values as a table").click();
  const row = preferences.locator("tbody tr").filter({ hasText: "compression" }).first();
  // The longest output was always chosen, and of all 21 pairs one was longer.
  await expect(row.locator("td").nth(0)).toHaveText("1.000");
  await expect(row.locator("td").nth(3)).toHaveText("21");
  await expect(page.locator("figure[data-file=metrics-strengths]")).toBeVisible();
  await accessible(page);
  await shots(page, "metrics-compared");

  await open(page, server, "/s/river/settings/protocol");
  await expect(page.getByLabel("Compare", { exact: true })).toBeChecked();
  await page.getByLabel("Outputs in a comparison").fill("4");
  page.ignoreErrors(/422/);
  await page.getByRole("button", { name: "Save the protocol" }).click();
  await expect(page.getByRole("alert")).toContainText("say in how many comparisons an output is");
  page.ignoreErrors(undefined);
  await page.getByLabel("Comparisons of each output").fill("3");
  await page.getByRole("button", { name: "Save the protocol" }).click();
  await expect(page.getByText("The protocol has been saved.")).toBeVisible();
  await accessible(page);
  await shots(page, "lead-settings-compare");
});

test("quality-control items tell of raters, and a lead asks about one comparison", async ({ page, server }) => {
  const annotators = ["annotator 1", "annotator 2"];
  study(server, { template: "pairwise", own, overlap: 2, annotators });
  addPerson(server, "lea");
  addMember(server, "lea", "river", "lead");
  await signInQuickly(page, server, "lea");
  await open(page, server, "/s/river/settings/quality-control");
  await expect(page.getByText("should lose")).toBeVisible();
  await expect(page.getByLabel("An unchanged copy of the source")).toHaveCount(0);
  await page.getByLabel("An output with its words scrambled").fill("1");
  await page.getByLabel("An output that is shown twice").fill("1");
  await accessible(page);
  await shots(page, "quality-control-compared");
  await page.getByRole("button", { name: "Save quality control" }).click();
  await expect(page.getByText("and 2 were added")).toBeVisible();

  // Three pairs, and the two of the items; nothing tells them apart.
  for (const [name, key] of [
    ["annotator 1", "a"],
    ["annotator 2", "b"],
  ]) {
    await page.context().clearCookies();
    await begin(page, server, name);
    for (let number = 1; number <= 5; number += 1) {
      await expect(heading(page)).toHaveText(`Comparison ${number} of 5`);
      await expect(heading(page)).toBeFocused();
      await page.keyboard.press(key);
    }
    await saved(page);
    await page.keyboard.press("Control+Enter");
    await expect(page).toHaveURL(/\/s\/river\/work$/);
  }
  const table = server.command("export", "river", "--format", "comparisons");
  expect(table.trim().split("\n")).toHaveLength(7);
  expect(table).not.toContain("quality control");

  await page.context().clearCookies();
  await signInQuickly(page, server, "lea");
  await open(page, server, "/s/river/quality");
  const rater = page.getByRole("article", { name: "annotator 1" });
  await expect(rater).toContainText("Scrambled lost");
  await expect(rater).toContainText("Same choice again");
  await accessible(page);
  await shots(page, "quality-compared");
  const report = JSON.parse(server.command("raters", "--study", "river", "--json"));
  expect(report.raters).toEqual([]);
  expect(report.without_scores.map((one) => one.rater).sort()).toEqual(annotators);
  for (const one of report.without_scores) expect(one.work.scrambled_lost.of).toBe(1);

  await open(page, server, "/s/river/ratings");
  const cards = page.locator(".disputed > li");
  await expect(cards).toHaveCount(3);
  await expect(cards.first().locator("dd")).toHaveText([/^[AB] is better$/, /^[AB] is better$/]);
  await accessible(page);
  await shots(page, "ratings-compared");
  await cards.first().getByText("Ask its raters to look again…").click();
  await cards.first().getByLabel("What should they look at?").fill("Is nothing lost?");
  await cards.first().getByRole("button", { name: "Ask them" }).click();
  await expect(page.getByText("The output has been returned to 2 raters.")).toBeVisible();
  await expect(page.getByRole("region", { name: "Open questions" })).toContainText("Is nothing lost?");
  // Comparisons of the other two outputs keep counting.
  await expect(cards).toHaveCount(1);

  await page.context().clearCookies();
  await signInQuickly(page, server, "annotator 1");
  await open(page, server, "/s/river/work");
  await page.getByRole("link", { name: /The old ferry/ }).click();
  await ready(page);
  await expect(page.getByText("The lead asks: Is nothing lost?").first()).toBeVisible();
  await page.keyboard.press("Control+Enter");
  await expect(page).toHaveURL(/\/s\/river\/work$/);
  await page.context().clearCookies();
  await signInQuickly(page, server, "lea");
  await open(page, server, "/s/river/ratings");
  await expect(cards).toHaveCount(3);
});
