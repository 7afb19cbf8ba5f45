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

/** The fields of the columns that are guessed by their names. */
const guessed = {
  key: "source_id",
  complex: "source",
  model: "system",
  simplified: "output",
  "overall score": "rating",
};

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? "with JavaScript" : "without JavaScript", () => {
    test.use({ javaScriptEnabled });

    /** Opens a page of the study. */
    async function go(page, server, path) {
      await page.goto(server.url.replace(/\/$/, "") + path);
      if (javaScriptEnabled) await awake(page);
    }

    /** Uploads the table, maps its columns, imports it, and waits for the report. */
    async function bringIn(page, server) {
      await go(page, server, "/s/river/import");
      await page.getByLabel("File", { exact: true }).setInputFiles(csv("rows.csv", table));
      await page.getByRole("button", { name: "Upload" }).click();
      await expect(page.getByRole("heading", { level: 1 })).toHaveText("rows.csv");
      await expect(page.getByText("Read as CSV, separated by commas, UTF-8, 6 lines.")).toBeVisible();
      for (const [column, field] of Object.entries(guessed)) {
        await expect(page.getByLabel(`${column} is`, { exact: true })).toHaveValue(field);
      }
      await expect(page.getByText("guessed from its name")).toHaveCount(5);
      await expect(page.locator(".counts")).toHaveText(
        "5 rows → 3 sources, 2 systems, 4 outputs (1 to 2 a source), 1 problem.",
      );
      await expect(page.getByRole("heading", { name: "Rows that will be left out (1)" })).toBeVisible();
      await expect(page.locator(".bad-rows tbody tr")).toContainText(["Line 5complex"]);
      if (javaScriptEnabled) await awake(page);
      await page.getByLabel("who is", { exact: true }).selectOption("rater: who rated");
      await page.getByRole("button", { name: "Import", exact: true }).click();
      await expect(page).toHaveURL(/\/s\/river\/import\/jobs\//);
      await expect(page.getByRole("link", { name: "See the sources" })).toBeVisible();
    }

    test("a lead imports a file, again without effect, and undoes the import", async ({ page, server }) => {
      addPerson(server, "lea", "--admin");
      await signInQuickly(page, server, "lea");
      await go(page, server, "/studies/new");
      await page.getByLabel("Name", { exact: true }).fill("River");
      // By chance one of the three sources would get such an item, which is listed among the imports.
      await page.getByText("Advanced", { exact: true }).click();
      await page.getByLabel("Add quality-control items").uncheck();
      await page.getByRole("button", { name: "Create the study" }).click();
      await expect(page).toHaveURL(/\/s\/river$/);

      await bringIn(page, server);
      const counts = page.locator(".facts");
      await expect(counts).toContainText(/3\s*new sources|new sources\s*3/);
      await expect(counts).toContainText(/4\s*new outputs|new outputs\s*4/);
      await expect(counts).toContainText(/2\s*new raters|new raters\s*2/);
      await expect(counts).toContainText(/4\s*new ratings|new ratings\s*4/);
      await expect(page.getByRole("heading", { name: "Rows left out (1)" })).toBeVisible();
      await expect(page.locator(".bad-rows tbody tr")).toContainText(["Line 5complex"]);
      if (javaScriptEnabled) await accessible(page);
      if (javaScriptEnabled) await shots(page, "import-report");
      await page.getByRole("link", { name: "Undo this import…" }).click();
      await expect(page.getByRole("heading", { level: 1 })).toHaveText("Undo this import?");
      await page.goBack();

      await page.getByRole("link", { name: "See the sources" }).click();
      await expect(page.locator("table.sources tbody tr")).toHaveCount(3);
      await expect(page.getByRole("link", { name: "f3" })).toBeVisible();

      await bringIn(page, server);
      await expect(page.getByText("nothing changed")).toBeVisible();
      await go(page, server, "/s/river/import");
      await expect(page.getByRole("link", { name: "rows.csv", exact: true })).toHaveCount(2);

      // It was the wrong file, and nothing in it has been judged.
      const first = page.getByRole("table").filter({ hasText: "Added" }).locator("tbody tr");
      await expect(first).toHaveCount(1);
      await expect(first).toContainText("3 sources, 2 systems, 4 outputs, 2 raters, 4 ratings");
      if (javaScriptEnabled) await accessible(page);
      if (javaScriptEnabled) await shots(page, "import-list");
      await page.getByRole("link", { name: "Undo… rows.csv" }).click();
      await expect(page.getByRole("heading", { level: 1 })).toHaveText("Undo this import?");
      if (javaScriptEnabled) await awake(page);
      if (javaScriptEnabled) await accessible(page);
      if (javaScriptEnabled) await shots(page, "import-undo");
      await page.getByRole("button", { name: "Undo the import" }).click();
      await expect(page).toHaveURL(/\/s\/river\/import$/);
      await expect(first).toContainText("undone");
      await expect(page.getByRole("link", { name: /Undo/ })).toHaveCount(0);
      await go(page, server, "/s/river/sources");
      await expect(page.getByText("This study has no sources yet")).toBeVisible();
      await bringIn(page, server);
      await expect(counts).toContainText(/4\s*new ratings|new ratings\s*4/);
    });
  });
}

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

test("a file that is not UTF-8 is offered in another encoding, and imported in it", async ({ page, server }) => {
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
});

test("a workbook is imported from the sheet that the lead chooses", async ({ page, server }) => {
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
  await expect(page.getByText("Read as an Excel table, sheet “Notes”")).toBeVisible();
  await expect(page.getByText("There is no preview yet: Say which column holds the sources.")).toBeVisible();
  await awake(page);
  await page.getByText("Read it another way").click();
  await page.getByLabel("Sheet").selectOption("Data");
  await accessible(page);
  await page.getByRole("button", { name: "Read it this way" }).click();
  await expect(page.getByText("Read as an Excel table, sheet “Data”, 3 rows.")).toBeVisible();
  await expect(page.locator(".counts")).toHaveText("2 rows → 1 source, 2 systems, 2 outputs (2 a source), 0 problems.");
  await awake(page);
  await shots(page, "import-workbook");
  await page.getByRole("button", { name: "Import", exact: true }).click();
  await page.getByRole("link", { name: "See the sources" }).click();
  await expect(page.getByRole("link", { name: "f1" })).toBeVisible();
});

test("an output without words is named before it is imported", async ({ page, server }) => {
  await lead(page, server);
  const text = "Original,System,Simplified\nThe boat sails.,A,It sails.\nThe boat sails.,B,\n";
  await send(page, server, csv("gap.csv", text));
  await expect(page.getByText("1 output is empty. Annotators see “(This output is empty.)”")).toBeVisible();
  await shots(page, "import-empty-output");
});

test("an invalid column mapping is refused, and all choices are kept", async ({ page, server }) => {
  page.ignoreErrors(/422/);
  await lead(page, server);
  await send(page, server, csv("rows.csv", table));
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("rows.csv");
  await awake(page);
  await page.getByLabel("complex is", { exact: true }).selectOption("");
  await page.getByLabel("who is", { exact: true }).selectOption("rater: who rated");
  await page.getByLabel("Import nothing unless every row is valid").check();
  await page.getByRole("button", { name: "Import", exact: true }).click();
  await expect(page.getByRole("alert")).toContainText("Say which column holds the sources.");
  await expect(page.getByLabel("who is", { exact: true })).toHaveValue("rater");

  await page.getByLabel("complex is", { exact: true }).selectOption("source");
  await page.getByRole("button", { name: "Import", exact: true }).click();
  await expect(page.getByText("every row had to be valid, and 1 of 5 are not")).toBeVisible();
  await page.getByRole("link", { name: "Import it with other settings" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("rows.csv");
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

test("a file in a known format needs no column mapping", async ({ page, server }) => {
  await lead(page, server);
  const released = [
    "original_id,original,generation,system,sentence_type,rating_1,rating_2,rating_1_zscore,rating_2_zscore",
    "1,The old ferry was withdrawn from service.,The ferry stopped.,Alpha,Paraphrases,90.0,80.0,0.5,0.1",
    "2,The harbour was rebuilt.,They rebuilt it.,Alpha,Paraphrases,40.0,50.0,-0.5,-0.1",
  ].join("\n");
  await send(page, server, csv("in2022.csv", released));
  await expect(page.getByText("Read as SimpEval 2022, separated by commas, UTF-8, 3 lines.")).toBeVisible();
  await awake(page);
  const raters = ["original_id,system,slot,rater", "1,Alpha,1,one", "1,Alpha,2,two", "2,Alpha,1,two", "2,Alpha,2,one"];
  await page.getByLabel("File of raters", { exact: true }).setInputFiles(csv("raters.csv", raters.join("\n")));
  await page.getByRole("button", { name: "Add it" }).click();
  await expect(page.getByText("is taken from raters.csv")).toBeVisible();
  await awake(page);
  await page.getByRole("button", { name: "Import", exact: true }).click();
  await expect(page.locator(".facts")).toContainText(/2\s*new raters|new raters\s*2/);
});

test("the import pages are accessible and fit every screen", async ({ page, server }) => {
  await lead(page, server);
  await open(page, server, "/s/river/import");
  await accessible(page);
  await shots(page, "import");
  await page.getByLabel("File", { exact: true }).setInputFiles(csv("rows.csv", table));
  await page.getByRole("button", { name: "Upload" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("rows.csv");
  await awake(page);
  await accessible(page);
  await shots(page, "import-preview");
});
