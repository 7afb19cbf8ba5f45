import { addMember, addPerson, signInQuickly } from "../support/people.js";
import { accessible, expect, open, shots, test } from "../support/test.js";
import { given, ready, rows, saved, step, study, type } from "../support/work.js";

// Ten sources are checked by hand, and a training of six networks takes a minute or two.
test.describe.configure({ timeout: 480_000 });

const SOURCES = 10;

/** Hands in the next source, in whose first output a highlight is taken away. */
async function check(page, server) {
  await page.goto(await given(page, server));
  await ready(page);
  await step(page, "Check edits");
  const first = page.locator(".edits-of").first();
  await first.locator(".unit:is(.par, .bars, .caret)").first().click();
  await page.getByRole("dialog").getByRole("button", { name: "Not an edit" }).click();
  await expect(first.getByText("corrected", { exact: true })).toBeVisible();
  await step(page, "Rank & rate");
  for (const row of await rows(page).all()) await type(row, 50);
  await saved(page);
  const here = page.url();
  await page.getByRole("button", { name: "Submit" }).click();
  await expect(page).not.toHaveURL(here);
}

test("a lead trains an aligner from corrections, and uses it only if it is certainly better", async ({
  page,
  server,
}) => {
  study(server, { many: 2, sources: SOURCES });
  addPerson(server, "lea");
  addMember(server, "lea", "river", "lead");
  const begin = page.getByRole("button", { name: "Train an aligner from these corrections" });
  const lead = async () => {
    await page.context().clearCookies();
    await signInQuickly(page, server, "lea");
    await open(page, server, "/s/river/quality");
  };
  await signInQuickly(page, server, "annotator 1");
  await check(page, server);
  await lead();
  await expect(page.getByText("Training needs corrected highlights of at least 10 sources.")).toBeVisible();
  await expect(begin).toHaveCount(0);
  await page.context().clearCookies();
  await signInQuickly(page, server, "annotator 1");
  for (let number = 1; number < SOURCES; number += 1) await check(page, server);

  await lead();
  await expect(page.getByText("They corrected those of 10 outputs, from 10 sources.")).toBeVisible();
  await begin.click();
  const training = page.getByRole("region", { name: "Training" });
  await expect(training).toBeVisible();
  await accessible(page);
  await page.getByRole("button", { name: "Cancel" }).click();
  await expect(begin).toBeVisible({ timeout: 60_000 });
  await begin.click();
  await expect(training).toBeVisible();
  const version = page.getByRole("rowheader", { name: "Aligner, version 1" });
  await expect(version).toBeVisible({ timeout: 300_000 });
  const row = page.getByRole("row").filter({ has: version });
  await expect(row).toContainText("20 checked outputs of 10 sources, 10 corrected");
  await expect(row).toContainText("the aligner of the server, on 10 sources that neither learned from");
  await expect(row).toContainText(
    /new \d\.\d{3}, other \d\.\d{3}, difference [+−]?\d\.\d{3} \(95 %: −?\d\.\d{3} to −?\d\.\d{3}\)/,
  );
  await expect(page.getByText("This study uses the aligner of the server.")).toBeVisible();
  await accessible(page);
  await shots(page, "quality-aligner");
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("link", { name: "Aligner, version 1" }).click(),
  ]);
  expect(file.suggestedFilename()).toBe("river-aligner.safetensors");
  // Highlights that were taken away at random teach nothing, so there is nothing to use.
  await expect(row).toContainText("not certainly better");
  await expect(row.getByRole("button")).toHaveCount(0);
});
