import { addPerson, signInQuickly } from "../support/people.js";
import { accessible, awake, expect, open, shots, test } from "../support/test.js";

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

test("a file's dimensions and kinds of systems are shown, imported and changed", async ({ page, server }) => {
  addPerson(server, "lea");
  server.command("study", "create", "river", "--name", "River study", "--lead", "lea");
  await signInQuickly(page, server, "lea");
  await open(page, server, "/s/river/import");
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
  await awake(page);
  await accessible(page);
  await shots(page, "import-dimensions");

  await page.getByLabel("T5 is").selectOption("human");
  await page.getByRole("button", { name: "Import", exact: true }).click();
  await expect(
    page.getByText("New dimensions of the study: fluency (from 1 to 5), simplicity (from -2 to 2)."),
  ).toBeVisible();

  // The lead chose the wrong kind for T5, and corrects it afterwards.
  await open(page, server, "/s/river/systems");
  await expect(page.locator("figure .wide").first()).toContainText("Written by people");
  await expect(page.locator("figure .wide").first()).not.toContainText("Written by machines");
  await page.getByRole("link", { name: "Edit systems" }).click();
  await awake(page);
  await page.getByLabel("T5 is").selectOption("machine");
  await page.getByLabel("Name of human 1").fill("Ann");
  await page.getByLabel("Hide copy").check();
  await shots(page, "systems-edit");
  await accessible(page);
  await page.getByRole("button", { name: "Save the systems" }).click();
  await expect(page.getByText("3 systems changed.")).toBeVisible();
  await expect(page.locator("figure .wide").first()).toContainText("Written by machines");
  await expect(page.locator("figure .wide").first()).toContainText("Ann");
  await expect(page.locator("figure .wide").first()).not.toContainText("copy");
  await accessible(page);
});
