import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { addMember, addPerson, signInQuickly } from "../support/people.js";
import { accessible, awake, expect, open, shots, test } from "../support/test.js";

/** Opens the demonstration's metrics page as a member with that role. */
async function metrics(page, server, role = "researcher", query = "") {
  server.command("demo", "--no-metrics");
  addPerson(server, "rea");
  addMember(server, "rea", "demo", role);
  await signInQuickly(page, server, "rea");
  return open(page, server, `/s/demo/metrics${query}`);
}

/** Scores the outputs with the ticked metrics, and waits until the page shows the result. */
async function score(page) {
  await page.getByRole("button", { name: "Score", exact: true }).click();
  // Once scoring is over, the form is back, folded.
  await expect(page.locator("details.scoring:not([open])")).toBeVisible();
  await expect(mark(page, "compression: Kendall-tau-like")).toBeVisible();
}

/** The first mark with that name. */
const mark = (page, name) => page.locator("figure .wide").getByRole("img", { name }).first();

test("a researcher scores the outputs, and sees which metrics agree with people and what a learned score means", async ({
  page,
  server,
}) => {
  await metrics(page, server);
  await expect(page.getByRole("link", { name: "Metrics" })).toHaveAttribute("aria-current", "page");
  await expect(page.getByRole("heading", { name: "Nothing to compare yet" })).toBeVisible();
  await accessible(page);
  await page.getByRole("checkbox", { name: /learned-free/ }).check();
  await score(page);
  for (const name of ["sari", "bleu", "fkgl (reversed)", "compression"]) {
    await expect(mark(page, `${name}: Kendall-tau-like`)).toHaveAccessibleName(/interval −?\d\.\d{3} to/);
  }
  await expect(mark(page, "one rater against the others: mean")).toBeVisible();
  await expect(
    page
      .locator("figure .wide")
      .getByText(/written by people/)
      .first(),
  ).toBeVisible();
  for (const name of ["All outputs", "Written by machines", "The upper limit"]) {
    await expect(page.locator("figure[data-file=metrics-tau] .wide").getByText(name)).toBeVisible();
  }
  const values = page.locator("figure[data-file=metrics-tau]").getByText("Values as a table");
  await values.click();
  const row = page.locator("figure[data-file=metrics-tau] tbody tr").filter({ hasText: "sari" }).first();
  await expect(row).toBeVisible();
  const cells = await row.locator("td").allTextContents();
  const [tau, concordant, discordant] = [1, 4, 5].map((at) => Number(cells[at].replace("−", "-")));
  expect(concordant + discordant).toBeGreaterThan(10);
  expect(tau).toBeCloseTo((concordant - discordant) / (concordant + discordant), 3);
  // One metric's outputs are drawn on request: they weigh more than all the rest of the page.
  await expect(page.locator("figure[data-file=metrics-scatter]")).toHaveCount(0);
  const choice = page.getByRole("region", { name: "One metric, output by output" });
  await choice.getByRole("link", { name: "sari", exact: true }).click();
  await awake(page);
  await expect(page.getByRole("heading", { name: /Where sari and people differ most/ })).toBeVisible();
  await expect(page.locator("figure[data-file=metrics-scatter]")).toBeInViewport();
  await expect(page.getByText("sari|variant:easse-f1|tok:13a|case:lc|version:")).toBeVisible();
  await accessible(page);
  await shots(page, "metrics");

  // Where the learned metric and people differ, the page says what its score means.
  await open(page, server, "/s/demo/metrics");
  await choice.getByRole("link", { name: "learned-free", exact: true }).click();
  await awake(page);
  const first = page.locator("ol.disagreements > li").first();
  await expect(first).toContainText(
    /score −?[\d.]+, above \d+ % of the outputs that the metric learned from \(95 %: \d+ to \d+\)/,
  );
  await accessible(page);
  await shots(page, "metrics-meaning");
});

test("one metric is tested against others, and outputs imported after a restart are scored", async ({
  page,
  server,
}) => {
  await metrics(page, server);
  await score(page);
  const rated = page.locator(".facts div", { hasText: "Outputs rated" }).locator("dd");
  const before = Number(await rated.textContent());
  await page.getByLabel("Outputs identical to a reference").selectOption("are left out");
  await page.getByLabel("Test others against").selectOption("sari");
  await page.getByRole("combobox", { name: "Examine" }).selectOption("fkgl (reversed)");
  await page.getByRole("button", { name: "Show" }).click();
  await awake(page);
  expect(Number(await rated.textContent())).toBeLessThanOrEqual(before);
  const against = page.locator("figure[data-file=metrics-against]");
  await expect(against.getByRole("heading")).toHaveText(/^sari (is|cannot)/);
  await expect(against.getByRole("button", { name: "CSV: Is sari better than the others?" })).toBeVisible();
  await expect(mark(page, "bleu: sari minus bleu, Kendall-tau-like")).toBeVisible();
  const dots = page.locator("figure[data-file=metrics-scatter]");
  await expect(dots.getByRole("heading")).toContainText("fkgl (reversed)");
  // The circle around a dot is a target of 24 pixels, and shows the dot's values.
  const target = dots.locator(".wide .reach").first();
  const box = await target.boundingBox();
  expect(box.width).toBeGreaterThanOrEqual(23);
  await target.hover({ position: { x: 2, y: box.height / 2 }, force: true });
  await expect(page.locator(".chart-tip")).toContainText("fkgl (reversed)");
  await expect(dots.locator('.wide .mark[tabindex="0"]')).toHaveCount(1);
  await accessible(page);
  await shots(page, "metrics-against");

  // A page that is open then is updated by itself.
  await page.goto("about:blank");
  await server.stop("SIGKILL");
  await server.start();
  await open(page, server, "/s/demo/metrics");
  const outputs = page.locator(".facts div", { hasText: /^Outputs\d/ }).locator("dd");
  const count = Number(await outputs.textContent());
  await page.evaluate(() => (document.body.dataset.sameDocument = "yes"));
  const table = join(server.data, "more.csv");
  const text =
    "source,system,output,rater,rating\nThe mill by the bridge burned down.,New system,The mill burned.,a rater,80\n";
  writeFileSync(table, text);
  server.command("import", "demo", table);
  await expect(outputs).toHaveText(String(count + 1));
  await expect(page.locator("body")).toHaveAttribute("data-same-document", "yes");
});

/** A table as a browser sends it. */
const csv = (name, text) => ({ name, mimeType: "text/csv", buffer: Buffer.from(text) });

/** Text as a cell of a table. */
const cell = (text) => `"${text.replaceAll('"', '""')}"`;

/** Imports scores that were computed elsewhere. */
async function importScores(page, server) {
  const lines = server.command("export", "demo", "--format", "jsonl").trimEnd().split("\n");
  const outputs = lines.map((line) => JSON.parse(line)).filter((it) => it.output !== undefined);
  // The number of words of each output, as if it had been counted elsewhere.
  const rows = outputs.map((it) => [cell(it.source), cell(it.system), it.output.split(" ").length]);
  const table = ["source,system,words", ...rows.map((row) => row.join(",")), "Nobody wrote this.,A,3"];
  await open(page, server, "/s/demo/import");
  await page.getByLabel("Scores of existing outputs").check();
  await page.getByLabel("File", { exact: true }).setInputFiles(csv("words.csv", table.join("\n")));
  await page.getByRole("button", { name: "Upload" }).click();
  // The direction is guessed from the name, and can be corrected.
  const direction = page.getByLabel("words", { exact: true });
  await expect(direction).toHaveValue("neither");
  await direction.selectOption("lower is better");
  await accessible(page);
  await shots(page, "import-scores");
  await page.getByRole("button", { name: "Import", exact: true }).click();
  await expect(page.getByText(/rows belong to existing sources or outputs/)).toBeVisible();
  await expect(page.getByText("is about an output that the study does not have").first()).toBeVisible();
  await accessible(page);
}

/** Imports references, and accepts the most similar text of a source that gets none. */
async function importReferences(page, server) {
  writeFileSync(
    join(server.data, "more.csv"),
    "source,system,output\nThe mill (an old one) burned in 1902.,A,It burned.\nThe bridge by the mill fell in 1903.,A,It fell.\n",
  );
  server.command("import", "demo", join(server.data, "more.csv"));
  const table =
    "source,reference\nthe mill -LRB- an old one -RRB- burned in 1902 .,The mill burned.\nThe bridge by the mill fell in 1904.,The bridge fell.\n";
  await open(page, server, "/s/demo/import");
  await page.getByLabel("References of existing sources").check();
  await page.getByLabel("File", { exact: true }).setInputFiles(csv("references.csv", table));
  await page.getByRole("button", { name: "Upload" }).click();
  await expect(page.getByText(/^1 of \d+ sources get references/)).toBeVisible();
  await accessible(page);
  await shots(page, "import-references");
  await page.getByLabel(/Use line 3, 9\d % alike/).check();
  await page.getByRole("button", { name: "Import", exact: true }).click();
  await expect(page.getByText(/^2 of \d+ sources get references/)).toBeVisible();
  await expect(page.getByText("1 by one that was accepted")).toBeVisible();
  await accessible(page);
}

test("a lead imports scores and references, and removes a metric", async ({ page, server }) => {
  await metrics(page, server, "lead");
  await importScores(page, server);
  await importReferences(page, server);
  await open(page, server, "/s/demo/metrics");
  await expect(mark(page, "words (reversed): Kendall-tau-like")).toBeVisible();
  await page.getByRole("combobox", { name: "Direction of words" }).selectOption("neither is better");
  await page.getByRole("button", { name: "Set the direction of words" }).click();
  await expect(mark(page, "words: Kendall-tau-like")).toBeVisible();
  await page.getByText("Score the outputs").click();
  await page.getByLabel(/^compression/).check();
  await page.getByLabel(/^bleu/).check();
  await score(page);
  await page.getByRole("button", { name: "Remove bleu" }).click();
  await expect(mark(page, "bleu: Kendall-tau-like")).toHaveCount(0);
  await expect(mark(page, "words: Kendall-tau-like")).toBeVisible();
});

test("a metric makes the means of systems more certain where outputs have no ratings", async ({ page, server }) => {
  await metrics(page, server);
  const lines = server.command("export", "demo", "--format", "jsonl").trimEnd().split("\n");
  const rated = lines.map((line) => JSON.parse(line)).filter((it) => it.output !== undefined);
  const more = rated.map((it) => ({ ...it, source: `${it.source} So it was.`, output: `${it.output} So it was.` }));
  const rows = more.map((it) => [cell(it.source), cell(it.system), cell(it.output)].join(","));
  const folder = mkdtempSync(join(tmpdir(), "rankrate-metrics-"));
  const [outputs, scores] = ["outputs.csv", "scores.csv"].map((name) => join(folder, name));
  writeFileSync(outputs, ["source,system,output", ...rows].join("\n"));
  const score = (it) => [cell(it.source), cell(it.system), 50 - it.output.split(" ").length].join(",");
  writeFileSync(scores, ["source,system,shortness", ...[...rated, ...more].map(score)].join("\n"));
  server.command("import", "demo", outputs);
  server.command("import", "demo", "--scores", scores);
  rmSync(folder, { recursive: true });

  await open(page, server, "/s/demo/metrics");
  const choice = page.getByRole("region", { name: "One metric, output by output" });
  await choice.getByRole("link", { name: "shortness", exact: true }).click();
  await awake(page);
  const means = page.locator("figure[data-file=metrics-assisted]");
  await expect(means.getByRole("heading")).toContainText(/shortness (saves|may save)|Too early/);
  await means.getByText("Values as a table").click();
  const numbers = await means.locator("tbody tr").first().locator("td").allTextContents();
  expect(numbers.slice(1).every((text) => Number.isFinite(Number(text.replace("−", "-"))))).toBe(true);
  await expect(page.locator("figure[data-file=metrics-saved-ratings] .wide .mark").first()).toHaveAccessibleName(
    /rated outputs of a system: .* % saved/,
  );
  await accessible(page);
  await shots(page, "metrics-assisted");
});
