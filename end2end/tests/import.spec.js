import { addPerson, signInQuickly } from "../support/people.js";
import { accessible, awake, expect, open, shots, test } from "../support/test.js";
import { workbook } from "../support/workbook.js";

/** A made-up table: three sources, two systems, ratings by two people, and one row without a source. */
const table = [
  "key,complex,model,simplified,who,overall score",
  'f1,"The old ferry, which carried timber, was withdrawn from service.",Alpha,The old ferry stopped running. It carried wood.,one,88',
  'f1,"The old ferry, which carried timber, was withdrawn from service.",Beta,The old ferry was withdrawn.,one,61',
  "f2,The harbour was reconstructed in the aftermath of the storm.,Alpha,The harbour was rebuilt after the storm.,two,93",
  "f2,,Beta,This row has no source.,two,40",
  "f3,Inspectors discovered extensive corrosion beneath the hull.,Alpha,Inspectors found much rust under the hull.,one,79",
].join("\n");

const csv = (name, text) => ({ name, mimeType: "text/csv", buffer: Buffer.from(text, "latin1") });

/** Creates a study and signs its lead in. */
async function lead(page, server) {
  addPerson(server, "lea");
  server.command("study", "create", "river", "--name", "River study", "--lead", "lea");
  await signInQuickly(page, server, "lea");
}

/** Uploads files on the import page. */
async function send(page, server, ...files) {
  await open(page, server, "/s/river/import");
  await page.getByLabel("File", { exact: true }).setInputFiles(files);
  await page.getByRole("button", { name: "Upload" }).click();
}

test("a lead imports a file, and undoes the import", async ({ page, server }) => {
  await lead(page, server);
  await open(page, server, "/s/river/import");
  await accessible(page);
  await shots(page, "import");
  await send(page, server, csv("rows.csv", table));
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("rows.csv");
  await expect(page.locator(".bad-rows tbody tr")).toContainText(["Line 5complex"]);
  await awake(page);
  await accessible(page);
  await shots(page, "import-preview");

  // A mapping that lacks something is refused, and all choices are kept.
  const begin = page.getByRole("button", { name: "Import", exact: true });
  const meaning = (column) => page.getByLabel(`${column} is`, { exact: true });
  await meaning("complex").selectOption("");
  await meaning("who").selectOption("rater: who rated");
  const onlyWhole = page.getByLabel("Import nothing unless every row is valid");
  await onlyWhole.check();
  page.ignoreErrors(/422/);
  await begin.click();
  await expect(page.getByRole("alert")).toContainText("Say which column holds the sources.");
  page.ignoreErrors(undefined);
  await expect(meaning("who")).toHaveValue("rater");
  await expect(onlyWhole).toBeChecked();
  await onlyWhole.uncheck();
  await meaning("complex").selectOption("source");
  await begin.click();
  await expect(page).toHaveURL(/\/s\/river\/import\/jobs\//);
  await expect(page.getByRole("link", { name: "See the sources" })).toBeVisible();
  await expect(page.locator(".facts")).toContainText(/4\s*new ratings|new ratings\s*4/);
  await expect(page.locator(".bad-rows tbody tr")).toContainText(["Line 5complex"]);
  await awake(page);
  await accessible(page);
  await shots(page, "import-report");

  // It was the wrong file, and nothing in it has been judged.
  await open(page, server, "/s/river/import");
  await accessible(page);
  await shots(page, "import-list");
  await page.getByRole("link", { name: "Undo… rows.csv" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Undo this import?");
  await awake(page);
  await accessible(page);
  await shots(page, "import-undo");
  await page.getByRole("button", { name: "Undo the import" }).click();
  await expect(page).toHaveURL(/\/s\/river\/import$/);
  await expect(page.getByRole("table").filter({ hasText: "Added" }).locator("tbody tr")).toContainText("undone");
  await expect(page.getByRole("link", { name: /Undo/ })).toHaveCount(0);
});

test("a file that is not UTF-8 is offered in another encoding, and an empty output is named", async ({
  page,
  server,
}) => {
  await lead(page, server);
  await send(page, server, csv("latin.csv", "Original;Simplified\nDas Boot f\xe4hrt.;Es f\xe4hrt.\n"));
  await expect(page.getByText("Line 2 is not UTF-8. Read it as Windows-1252?")).toBeVisible();
  await expect(page.getByRole("cell", { name: "Das Boot fährt." })).toBeVisible();
  await awake(page);
  await accessible(page);
  await shots(page, "import-encoding");
  await page.getByRole("link", { name: "Read it as Windows-1252" }).click();
  await expect(page.getByText("Read as CSV, separated by semicolons, Windows-1252, 2 lines.")).toBeVisible();
  await awake(page);
  await page.getByRole("button", { name: "Import", exact: true }).click();
  await page.getByRole("link", { name: "See the sources" }).click();
  await expect(page.getByText("Das Boot fährt.")).toBeVisible();

  const text = "Original,System,Simplified\nThe boat sails.,A,It sails.\nThe boat sails.,B,\n";
  await send(page, server, csv("gap.csv", text));
  await expect(page.getByText("1 output is empty. Annotators see “(This output is empty.)”")).toBeVisible();
  await shots(page, "import-empty-output");
});

test("a workbook is imported from the sheet with rows, or from another one that the lead chooses", async ({
  page,
  server,
}) => {
  await lead(page, server);
  const rows = [
    ["Complex sentence", "Simplified sentence", "Item", "Model"],
    ["The old ferry, which carried timber, was withdrawn from service.", "The ferry stopped.", "f1", "Alpha"],
    ["The old ferry, which carried timber, was withdrawn from service.", "It no longer runs.", "f1", "Beta"],
  ];
  const book = workbook({
    Notes: [
      ["Written by", "Lea"],
      ["in", 2026],
    ],
    Data: rows,
  });
  await send(page, server, {
    name: "rows.xlsx",
    mimeType: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    buffer: book,
  });
  await expect(page.getByText("Read as an Excel table, sheet “Data”, 3 rows.")).toBeVisible();
  await awake(page);
  await page.getByLabel("Sheet").selectOption("Notes");
  await accessible(page);
  await page.getByRole("button", { name: "Read it this way" }).click();
  await expect(page.getByText("Read as an Excel table, sheet “Notes”")).toBeVisible();
  await expect(page.getByText("There is no preview yet: Say which column holds the sources.")).toBeVisible();
  await awake(page);
  await page.getByLabel("Sheet").selectOption("Data");
  await page.getByRole("button", { name: "Read it this way" }).click();
  await expect(page.getByText("Read as an Excel table, sheet “Data”, 3 rows.")).toBeVisible();
  await expect(page.locator(".counts")).toHaveText(
    "2 rows → 1 source, 2 systems, 2 outputs (2 per source), 0 problems.",
  );
  await awake(page);
  await shots(page, "import-workbook");
  await page.getByRole("button", { name: "Import", exact: true }).click();
  await page.getByRole("link", { name: "See the sources" }).click();
  await expect(page.getByRole("link", { name: "f1" })).toBeVisible();
});

test("an import is watched and cancelled", async ({ page, server }) => {
  await lead(page, server);
  const rows = Array.from(
    { length: 40_000 },
    (_, at) =>
      `Number ${at} is the source and it was written at some length about ferries.,A,Output ${at} says rather less of them.`,
  );
  await send(page, server, csv("long.csv", ["source,system,output", ...rows].join("\n")));
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("long.csv");
  await awake(page);
  await page.getByRole("button", { name: "Import", exact: true }).click();
  await expect(page.getByRole("progressbar")).toBeVisible();
  await awake(page);
  await expect(page.getByRole("status")).toContainText(/Importing: [1-9]\d* %/);
  await accessible(page);
  await shots(page, "import-under-way");
  await page.getByRole("button", { name: "Cancel" }).click();
  await expect(page.getByText("The import was cancelled.")).toBeVisible();
  await open(page, server, "/s/river/sources");
  await expect(page.getByText("This study has no sources yet")).toBeVisible();
});
