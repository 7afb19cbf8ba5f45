import { addMember, addPerson, signInQuickly } from "../support/people.js";
import { accessible, awake, expect, open, shots, test } from "../support/test.js";

// Training takes some seconds, and a machine runs one training at a time.
test.describe.configure({ timeout: 240_000 });

/** Opens the demonstration's metrics page as a lead. */
async function metrics(page, server) {
  server.command("demo", "--no-metrics");
  addPerson(server, "lea");
  addMember(server, "lea", "demo", "lead");
  await signInQuickly(page, server, "lea");
  await open(page, server, "/s/demo/metrics");
}

/** Starts a training from the model that the option names. */
async function train(page, from) {
  await page.getByText("Train on the study’s ratings").click();
  await page.getByLabel("Start from").selectOption(from);
  await page.getByRole("button", { name: "Train", exact: true }).click();
  await expect(page.getByRole("region", { name: "Training" })).toBeVisible();
}

/** Waits until the new version has scored the outputs: the page then reloads automatically. */
async function scored(page) {
  const learned = page.locator("figure[data-file=metrics-tau] .wide").getByRole("img", { name: /^learned-free/ });
  await expect(learned.first()).toBeVisible({ timeout: 60_000 });
  await expect(page.getByRole("region", { name: "Scoring" })).toHaveCount(0, { timeout: 60_000 });
  await awake(page);
}

const version = (page, number) => page.getByRole("rowheader", { name: `learned-free, version ${number}` });

/** Fills in a setting that does not fit the metric: it is refused, and nothing that was typed is lost. */
async function setWrongly(page) {
  await page.getByText("Train on the study’s ratings").click();
  await page.getByText("More settings").click();
  const [batch, rate] = ["Batch size", "Learning rate of the encoder"].map((label) => page.getByLabel(label));
  await batch.fill("2");
  await rate.fill("0.0001");
  await accessible(page);
  await shots(page, "metrics-train-settings");
  page.ignoreErrors(/422/);
  await page.getByRole("button", { name: "Train", exact: true }).click();
  await expect(page.getByText("“Batch size” is only for lens and cross-encoder: leave it empty.")).toBeVisible();
  page.ignoreErrors(undefined);
  await expect(batch).toHaveValue("2");
  await expect(rate).toHaveValue("0.0001");
  for (const field of [batch, rate]) await field.fill("");
  await page.getByText("Train on the study’s ratings").click();
}

test("a training is cancelled, and the metric of another is compared and put into use", async ({ page, server }) => {
  test.slow();
  await metrics(page, server);
  await setWrongly(page);
  await train(page, "scratch: this study alone");
  await page.getByRole("button", { name: "Cancel" }).click();
  // A debug build needs long for the features of all outputs.
  await expect(page.getByText("Train on the study’s ratings")).toBeVisible({ timeout: 300_000 });
  await expect(page.getByRole("rowheader", { name: /^learned-free/ })).toHaveCount(0);

  await train(page, "the built-in metric");
  await accessible(page);
  await expect(version(page, 1)).toBeVisible({ timeout: 300_000 });
  await scored(page);
  await expect(page.getByRole("heading", { name: /^Would more ratings help/ })).toBeVisible();

  const row = page.getByRole("row").filter({ has: version(page, 1) });
  await expect(row).toContainText(/τ −?\d\.\d{3}, r −?\d\.\d{3}/);
  await expect(row).toContainText(/the built-in metric: τ .* 95 % interval/);
  await expect(row.getByText("in use", { exact: true })).toHaveCount(0);
  await row.getByRole("button", { name: "Use learned-free, version 1" }).click();
  await expect(row.getByText("in use", { exact: true })).toBeVisible();
  // It scores the outputs automatically, and its figures leave out the sources that it was trained on.
  await expect(page.getByText(/sources are left out because the model was trained on them/)).toBeVisible();
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("link", { name: "learned-free, version 1" }).click(),
  ]);
  expect(file.suggestedFilename()).toBe("demo-metric.safetensors");
  await accessible(page);
  await shots(page, "metrics-train");

  await page.getByText("Automatic training").click();
  await page.getByLabel("Retrain after this many new ratings").fill("50");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("learned-free is retrained after every 50 new ratings.")).toBeVisible();
  await shots(page, "metrics-train-more");
});
