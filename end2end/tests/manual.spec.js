import { mkdirSync } from "node:fs";
import { resolve } from "node:path";
import { addMember, addPerson, signInQuickly } from "../support/people.js";
import { expect, open, test } from "../support/test.js";
import { begin, rows, saved, step, study, type } from "../support/work.js";

// The pictures of the manual, which `scripts/manual` puts on its pages. Each is taken of a page on which a
// reader does what the manual says.

const samples = resolve(import.meta.dirname, "../../docs/src/samples");

test.use({ viewport: { width: 1200, height: 800 } });

/** Takes the picture of that name: the window from the top, not the whole page. */
async function picture(page, name) {
  mkdirSync("shots/manual", { recursive: true });
  await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
  await page.evaluate(() => scrollTo({ top: 0, behavior: "instant" }));
  await expect(() => page.screenshot({ path: `shots/manual/${name}.png`, timeout: 20_000 })).toPass({
    timeout: 90_000,
  });
}

async function firstPages(page, server) {
  addPerson(server, "lea", "--admin");
  await signInQuickly(page, server, "lea");
  await open(page, server, "/studies/new");
  await page.getByLabel("Name", { exact: true }).fill("Ferry study");
  await page.getByLabel("Annotators for each source").fill("2");
  await picture(page, "new-study");

  server.command("study", "create", "ferry", "--name", "Ferry study", "--lead", "lea", "--overlap", "2");
  await open(page, server, "/s/ferry/import");
  await page.getByLabel("File", { exact: true }).setInputFiles(resolve(samples, "outputs.csv"));
  await page.getByRole("button", { name: "Upload" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("outputs.csv");
  await expect(page.locator(".counts")).toContainText("8 sources, 4 systems, 32 outputs");
  await picture(page, "import-preview");
}

async function lastStep(page, server) {
  study(server, { many: 6 });
  await begin(page, server);
  await step(page, "Rank & rate");
  for (const [place, score] of [88, 74, 71, 45].entries()) await type(rows(page).nth(place), score);
  await saved(page);
  await picture(page, "workspace");
}

async function results(page, server) {
  server.command("demo");
  addMember(server, "lea", "demo", "lead");
  for (const [path, heading] of [
    ["members", "Members"],
    ["agreement", "Agreement"],
    ["systems", "Systems"],
    ["export", "Export"],
  ]) {
    await open(page, server, `/s/demo/${path}`);
    await expect(page.getByRole("heading", { level: 1 })).toHaveText(heading);
    await picture(page, path);
  }
}

test("pictures of a lead's pages and of an annotator's last step", async ({ page, server }) => {
  await firstPages(page, server);
  await results(page, server);
  await page.context().clearCookies();
  await lastStep(page, server);
});
