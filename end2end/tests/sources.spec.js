import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { addMember, addPerson, signInQuickly } from "../support/people.js";
import { accessible, expect, open, shots, test } from "../support/test.js";

const rows = [
  { source_id: "f1", source: "The ferry sank.", output: "It sank.", system: "Alpha" },
  { source_id: "f1", source: "The ferry sank.", output: "The boat sank.", system: "Beta" },
  { source_id: "f2", source: "The mill burned.", output: "It burned.", system: "Alpha", rater: "one", rating: 70 },
];

/** Creates a study with two sources, one of them rated, and signs a lead in. */
async function river(page, server) {
  const file = join(server.data, "rows.jsonl");
  writeFileSync(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
  server.command("import", "river", "--create", file);
  addPerson(server, "lea");
  addMember(server, "lea", "river", "lead");
  await signInQuickly(page, server, "lea");
}

test("a lead hides an output and a source, shows them again, and says how sources are given out", async ({
  page,
  server,
}) => {
  await river(page, server);
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

  // A number of annotators of its own.
  await page.getByText("Number of annotators: 3, as in the settings").click();
  const number = page.getByRole("spinbutton", { name: "Number of annotators" });
  await expect(number).toHaveValue("");
  await accessible(page);
  await shots(page, "source-own-overlap");
  await number.fill("10");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("Source f2 is now judged by 10 annotators.")).toBeVisible();

  await open(page, server, "/s/river/settings");
  await page.getByText("More settings").click();
  const chosen = page.getByRole("radio", { name: /makes the ranking of systems most certain/ });
  await expect(page.getByRole("radio", { name: /the first one of the import/ })).toBeChecked();
  await chosen.check();
  await accessible(page);
  await shots(page, "settings-source-order");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("The settings have been saved.")).toBeVisible();
});
