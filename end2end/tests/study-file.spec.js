import { readFileSync } from "node:fs";
import { addMember, addPerson, signInQuickly } from "../support/people.js";
import { accessible, expect, open, shots, test } from "../support/test.js";

/** The study `likert` with a tutorial, and its lead at the browser. */
async function begin(page, server) {
  server.command("study", "create", "likert", "--template", "likert", "--tutorial");
  addPerson(server, "lea");
  addMember(server, "lea", "likert", "lead");
  await signInQuickly(page, server, "lea");
}

test("a study is downloaded as a file, and other studies begin with it", async ({ page, server }) => {
  await begin(page, server);
  await open(page, server, "/s/likert/settings");
  const begun = page.waitForEvent("download");
  await page.getByRole("link", { name: "Download the study as a file" }).click();
  const text = readFileSync(await (await begun).path(), "utf8");
  const { settings, training_items } = JSON.parse(text);
  expect(settings.dimensions.length).toBeGreaterThan(1);
  expect(training_items[0].outputs.map(({ hidden }) => hidden)).toEqual(Array(5).fill(true));

  await open(page, server, "/studies/new");
  const form = page.getByRole("form", { name: "New study from a file" });
  const choose = (text) =>
    form.getByLabel("File", { exact: true }).setInputFiles({
      name: "study.json",
      mimeType: "application/json",
      buffer: Buffer.from(text),
    });
  await choose(text.replace('"overlap": ', '"overlap": 9000'));
  await form.getByLabel("Name of the new study", { exact: true }).fill("Likert in spring");
  await form.getByLabel("Short name of the new study").fill("spring");
  page.ignoreErrors(/422/);
  await form.getByRole("button", { name: "Create it from the file" }).click();
  const refusal = page.getByText(/settings\.overlap: 9000\d+ is not a number from 1 to/);
  await expect(refusal).toBeVisible();
  page.ignoreErrors(undefined);
  await expect(form.getByLabel("Short name of the new study")).toHaveValue("spring");
  await accessible(page);
  await shots(page, "new-study-from-file");

  await choose(text);
  await form.getByRole("button", { name: "Create it from the file" }).click();
  await page.waitForURL(/\/s\/spring$/);
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();

  await open(page, server, "/s/spring/settings");
  await page.getByText("Clone this study", { exact: true }).click();
  await page.getByLabel("Name of the new study", { exact: true }).fill("Autumn");
  await accessible(page);
  await shots(page, "settings-clone");
  await page.getByRole("button", { name: "Create the clone" }).click();
  await page.waitForURL(/\/s\/autumn$/);
  const file = (study) => JSON.parse(server.command("study", "export", study));
  const { slug, title, ...rest } = file("autumn");
  expect([slug, title]).toEqual(["autumn", "Autumn"]);
  expect({ ...file("likert"), slug, title }).toEqual({ ...rest, slug, title });

  await open(page, server, "/s/likert/systems/edit");
  await expect(page.getByRole("checkbox", { name: "Hide tutorial-1" })).toBeChecked();
  await accessible(page);
  await shots(page, "systems-edit");
});
