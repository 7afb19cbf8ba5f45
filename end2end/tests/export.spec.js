import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "../support/demonstration.js";
import { signInQuickly } from "../support/people.js";
import { accessible, expect, open, shots } from "../support/test.js";

/** The files of an archive by name, as Python's standard library reads them; what is no text is not legible. */
function unpacked(archive) {
  const program = `
import json, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as archive:
    assert archive.testzip() is None
    print(json.dumps({name: archive.read(name).decode(errors="replace") for name in archive.namelist()}))`;
  return JSON.parse(execFileSync("python3", ["-c", program, archive], { encoding: "utf8" }));
}

/** Clicks a download button and returns the archive's name and its files. */
async function download(page, format) {
  const begun = page.waitForEvent("download");
  await page.getByRole("button", { name: `Download ${format}` }).click();
  const got = await begun;
  return { name: got.suggestedFilename(), files: unpacked(await got.path()) };
}

test("a lead downloads the same dataset as on the command line", async ({ page, server }) => {
  await signInQuickly(page, server, "lea");
  await open(page, server, "/s/demo/export");
  await accessible(page);
  await shots(page, "export");
  await expect(page.getByRole("link", { name: "Export" })).toHaveAttribute("aria-current", "page");

  const past = await download(page, "SimpEval, past format");
  expect(past.name).toBe("demo-simpeval-past.zip");
  expect(Object.keys(past.files).sort()).toEqual(["demo-simpeval-past.README.md", "demo-simpeval-past.csv"]);
  const file = join(server.data, "past.csv");
  const said = server.command("export", "demo", "--format", "simpeval-past", "-o", file, "--json");
  expect(past.files["demo-simpeval-past.csv"]).toBe(readFileSync(file, "utf8"));
  const { outputs, files } = JSON.parse(said);
  expect(files).toEqual([file, join(server.data, "past.README.md")]);
  const rows = past.files["demo-simpeval-past.csv"].trimEnd().split("\n");
  expect(rows.length).toBe(outputs + 1);
  expect(rows[0]).toBe(
    "id,original,generation,processed_generation,original_id,system,rating_1,rating_2," +
      "rating_3,rating_1_z_score,rating_2_z_score,rating_3_z_score,shared_ratings",
  );
  expect(past.files["demo-simpeval-past.README.md"]).toContain("simulated: no person");

  const in2022 = await download(page, "SimpEval, 2022 format");
  expect(Object.keys(in2022.files).sort()).toEqual([
    "demo-simpeval-2022.README.md",
    "demo-simpeval-2022.csv",
    "demo-simpeval-2022.raters.csv",
  ]);
  expect(in2022.files["demo-simpeval-2022.raters.csv"]).toMatch(/^original_id,system,slot,rater\n.*,1,simulated 1\n/);

  const tidy = await download(page, "Tidy table");
  const tidyFile = join(server.data, "tidy.csv");
  server.command("export", "demo", "--format", "tidy", "-o", tidyFile);
  expect(tidy.files["demo-tidy.csv"]).toBe(readFileSync(tidyFile, "utf8"));
  expect(tidy.files["demo-tidy.csv"]).toMatch(
    /^source_id,output_id,system,kind,category,automatic_category,rater,dimension,value,z,rank,seconds,shared,final_value,final_category\n/,
  );

  const lines = await download(page, "JSON lines");
  const objects = lines.files["demo-jsonl.jsonl"]
    .trimEnd()
    .split("\n")
    .map((it) => JSON.parse(it));
  expect(objects.length).toBe(outputs);
  expect(objects.some((it) => it.twin_of !== null)).toBe(true);
  expect(new Set(objects.map((it) => it.category))).toEqual(new Set(["split", "deletion", "paraphrase"]));

  await page.getByLabel("Licence").fill("cc-by-4.0");
  const dataset = await download(page, "Dataset folder");
  const names = ["README.md", "outputs.parquet", "ratings.parquet"];
  expect(Object.keys(dataset.files).sort()).toEqual(names.map((name) => `demo-dataset/${name}`));
  const folder = join(server.data, "dataset");
  server.command("export", "demo", "--format", "dataset", "--license", "cc-by-4.0", "-o", folder);
  const withoutTime = (card) => card.replace(/taken out at \S+/, "");
  const card = readFileSync(join(folder, "README.md"), "utf8");
  expect(withoutTime(dataset.files["demo-dataset/README.md"])).toBe(withoutTime(card));
  expect(card).toContain('license: "cc-by-4.0"');

  server.command("study", "create", "river", "--lead", "lea");
  await open(page, server, "/s/river/export");
  await expect(page.getByRole("heading", { name: "Nothing to export yet" })).toBeVisible();
  await accessible(page);
  await shots(page, "export-empty");
});
