import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { addPerson, signInQuickly } from "../support/people.js";
import { accessible, awake, expect, shots, test } from "../support/test.js";

/** Made-up Likert ratings: two workers, three sources, and outputs of a person, a copy and a machine. */
const likert = [
  "WorkerId,Input.original,Input.simplified,Input.system,Answer.fluency,Answer.simplicity",
  ...["The old ferry was withdrawn from service.", "The harbour was reconstructed.", "Corrosion was found."].flatMap(
    (source, at) => [
      `w1,${source},It stopped (${at}).,human 1,5,${at - 1}`,
      `w2,${source},It stopped (${at}).,human 1,4.5,${at}`,
      `w1,${source},${source},copy,${at + 2},-2`,
      `w2,${source},${source},copy,${at + 1},-2`,
      `w1,${source},Stop ${at}.,T5,${at + 1},2`,
      `w2,${source},Stop ${at}.,T5,1.5,1`,
    ],
  ),
].join("\n");

const csv = (name, text) => ({ name, mimeType: "text/csv", buffer: Buffer.from(text) });

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? "with JavaScript" : "without JavaScript", () => {
    test.use({ javaScriptEnabled });

    /** Opens a page of the study. */
    async function go(page, server, path) {
      await page.goto(`${server.url.replace(/\/$/, "")}/s/river${path}`);
      if (javaScriptEnabled) await awake(page);
    }

    test("a file's dimensions and kinds of systems are shown, imported and changed", async ({ page, server }) => {
      addPerson(server, "lea");
      server.command("study", "create", "river", "--name", "River study", "--lead", "lea");
      await signInQuickly(page, server, "lea");
      await go(page, server, "/import");
      await page.getByLabel("File", { exact: true }).setInputFiles(csv("likert.csv", likert));
      await page.getByRole("button", { name: "Upload" }).click();
      await expect(page.getByText("Read as Likert ratings")).toBeVisible();

      // The preview, before anything is imported.
      const dimension = (name) => page.getByRole("row", { name: new RegExp(`^${name}`) });
      await expect(dimension("fluency")).toContainText("1 to 5");
      await expect(dimension("fluency")).toContainText("new");
      await expect(dimension("simplicity")).toContainText("-2 to 2");
      await expect(page.getByLabel("human 1 is")).toHaveValue("human");
      await expect(page.getByLabel("copy is")).toHaveValue("baseline");
      await expect(page.getByLabel("T5 is")).toHaveValue("machine");
      if (javaScriptEnabled) {
        await awake(page);
        await accessible(page);
        await shots(page, "import-dimensions");
      }

      // A stated scale is shown in the preview before it takes effect.
      await page.getByLabel("Lowest rating of fluency").fill("0");
      await page.getByLabel("Highest rating of fluency").fill("10");
      await page.getByRole("button", { name: "Update the preview" }).click();
      await expect(dimension("fluency")).toContainText("0 to 10");
      await expect(page.getByLabel("Highest rating of fluency")).toHaveValue("10");
      if (javaScriptEnabled) await awake(page);
      await page.getByLabel("Lowest rating of fluency").fill("");
      await page.getByLabel("Highest rating of fluency").fill("");
      await page.getByLabel("T5 is").selectOption("human");
      await page.getByRole("button", { name: "Import", exact: true }).click();
      await expect(
        page.getByText("New dimensions of the study: fluency (from 1 to 5), simplicity (from -2 to 2)."),
      ).toBeVisible();

      // Every panel shows the first dimension, or the one that is selected.
      for (const panel of ["agreement", "quality", "systems", "ratings"]) {
        await go(page, server, `/${panel}`);
        await expect(page.getByText("No ratings yet")).toHaveCount(0);
        const choice = page.getByRole("combobox", { name: "Dimension" });
        await expect(choice).toHaveValue("fluency");
        await choice.selectOption("simplicity");
        await page.getByRole("button", { name: "Show", exact: true }).click();
        await expect(page).toHaveURL(/dimension=simplicity/);
        await expect(page.getByText("No ratings yet")).toHaveCount(0);
        await expect(page.getByRole("combobox", { name: "Dimension" })).toHaveValue("simplicity");
      }
      await go(page, server, "");
      await expect(page.locator("#held")).toContainText("36");

      // The lead chose the wrong kind for T5, and corrects it afterwards.
      await go(page, server, "/systems");
      await expect(page.locator("figure .wide").first()).toContainText("Written by people");
      await expect(page.locator("figure .wide").first()).not.toContainText("Written by machines");
      await page.getByRole("link", { name: "Edit systems" }).click();
      if (javaScriptEnabled) await awake(page);
      await page.getByLabel("T5 is").selectOption("machine");
      await page.getByLabel("Name of human 1").fill("Ann");
      await page.getByLabel("Hide copy").check();
      if (javaScriptEnabled) await shots(page, "systems-edit");
      if (javaScriptEnabled) await accessible(page);
      await page.getByRole("button", { name: "Save the systems" }).click();
      await expect(page.getByText("3 systems changed.")).toBeVisible();
      await expect(page.locator("figure .wide").first()).toContainText("Written by machines");
      await expect(page.locator("figure .wide").first()).toContainText("Ann");
      await expect(page.locator("figure .wide").first()).not.toContainText("copy");
      if (javaScriptEnabled) await accessible(page);
    });

    test("a file with a header and no rows is refused on upload", async ({ page, server }) => {
      page.ignoreErrors(/422/);
      addPerson(server, "lea");
      server.command("study", "create", "river", "--name", "River study", "--lead", "lea");
      await signInQuickly(page, server, "lea");
      await go(page, server, "/import");
      await page.getByLabel("File", { exact: true }).setInputFiles(csv("rows.csv", "source,output,system\n"));
      await page.getByRole("button", { name: "Upload" }).click();
      await expect(page.getByText("The file has a header and no rows")).toBeVisible();
      await go(page, server, "/import");
      await expect(page.getByRole("link", { name: "rows.csv" })).toHaveCount(0);
    });
  });
}

test("commands list dimensions, and list and change kinds of systems", async ({ server }) => {
  const file = join(server.data, "likert.csv");
  writeFileSync(file, likert);
  const dry = JSON.parse(server.command("import", "river", file, "--create", "--dry-run", "--json"));
  expect(dry.dimensions.map((it) => [it.name, it.scale.low, it.scale.high, it.created])).toEqual([
    ["fluency", 1, 5, true],
    ["simplicity", -2, 2, true],
  ]);
  server.command("import", "river", file, "--create", "--kind", "T5=baseline");
  const said = JSON.parse(server.command("agreement", "--study", "river", "--by", "dimension", "--json"));
  expect(Object.keys(said.parts)).toEqual(["fluency", "simplicity"]);
  const straight = JSON.parse(server.command("agreement", file, "--by", "dimension", "--json"));
  expect(straight.parts).toEqual(said.parts);
  const kinds = JSON.parse(server.command("system", "river", "T5", "--kind", "machine", "--json"));
  expect(kinds.systems.map((it) => [it.system, it.kind])).toEqual([
    ["human 1", "human"],
    ["copy", "baseline"],
    ["T5", "machine"],
  ]);
  expect(() => server.command("raters", "--study", "river", "--dimension", "overall")).toThrow();
});
