import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { addMember, addPerson, signInQuickly } from "../support/people.js";
import { accessible, expect, open, shots, test } from "../support/test.js";

const rows = [
  { source_id: "f1", source: "The ferry sank.", output: "It sank.", system: "Alpha" },
  { source_id: "f1", source: "The ferry sank.", output: "The boat sank.", system: "Beta" },
  { source_id: "f2", source: "The mill burned.", output: "It burned.", system: "Alpha", rater: "one", rating: 70 },
];

/** Creates a study with two sources, one of them rated, and signs a member in. */
async function river(page, server, role) {
  const file = join(server.data, "rows.jsonl");
  writeFileSync(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
  server.command("import", "river", "--create", file);
  addPerson(server, "lea");
  addMember(server, "lea", "river", role);
  await signInQuickly(page, server, "lea");
}

test("a lead hides an output and a source, and shows them again", async ({ page, server }) => {
  await river(page, server, "lead");
  await open(page, server, "/s/river/sources");
  await page.getByRole("link", { name: "f1" }).click();
  await page.getByText("Hide or delete this output").last().click();
  await accessible(page);
  await shots(page, "source-take-out");
  await page.getByRole("button", { name: "Hide output of Beta" }).click();
  await expect(page.getByRole("heading", { name: "Outputs (1)" })).toBeVisible();
  await page.getByText("Hidden outputs (1)").click();
  await accessible(page);
  await page.getByRole("button", { name: "Show output of Beta" }).click();
  await expect(page.getByRole("heading", { name: "Outputs (2)" })).toBeVisible();

  // A rated source can only be hidden.
  await open(page, server, "/s/river/sources");
  await page.getByRole("link", { name: "f2" }).click();
  await page.getByText("Hide or delete this source").click();
  await expect(page.getByText("it cannot be deleted permanently").first()).toBeVisible();
  await page.getByRole("button", { name: "Hide source f2" }).click();
  await expect(page).toHaveURL(/\/s\/river\/sources$/);
  await expect(page.locator("table.sources tbody tr")).toHaveCount(1);
  expect(server.command("export", "river", "--format", "tidy").split("\n").length).toBe(2);
  await page.getByText("Hidden sources (1)").click();
  await accessible(page);
  await shots(page, "sources-hidden");
  await page.getByRole("button", { name: "Show source f2" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Source f2");
  expect(server.command("export", "river", "--format", "tidy").split("\n").length).toBe(3);
});

test("a lead deletes a source that was never judged", async ({ page, server }) => {
  await river(page, server, "lead");
  await open(page, server, "/s/river/sources");
  await page.getByRole("link", { name: "f1" }).click();
  await page.getByText("Hide or delete this source").click();
  await page.getByRole("button", { name: "Permanently delete source f1" }).click();
  await expect(page).toHaveURL(/\/s\/river\/sources$/);
  await expect(page.locator("table.sources tbody tr")).toHaveCount(1);
  await expect(page.getByText(/Hidden sources/)).toHaveCount(0);
});

test("a researcher cannot hide or delete anything", async ({ page, server }) => {
  await river(page, server, "researcher");
  await open(page, server, "/s/river/sources");
  await page.getByRole("link", { name: "f1" }).click();
  await expect(page.getByRole("heading", { name: "Outputs (2)" })).toBeVisible();
  await expect(page.getByText("Hide or delete this")).toHaveCount(0);
});
