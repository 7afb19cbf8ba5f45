import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { addMember, addPerson, signInQuickly } from "../support/people.js";
import { accessible, awake, expect, light, open, shots, test } from "../support/test.js";

/** Seven sources by two systems, rated by two people; `gap` points lie between the systems. */
function ratings(gap) {
  const rows = Array.from({ length: 14 }, (_, row) => {
    const [source, system] = [Math.floor(row / 2), row % 2];
    const [mean, off] = [30 + 5 * source + (system ? 0 : gap), source % 3];
    const output = `The ferry number ${source} was withdrawn.,Output ${row} of it.,${system ? "B" : "A"}`;
    return [`1,${output},${mean}`, `2,${output},${mean + off}`];
  });
  const head = "WorkerId,Input.original,Input.simplified,Input.system,Answer.simplicity";
  return [head, ...rows.flat(), ""].join("\n");
}

/** Studies `river` and `lake` on the same sources; Rea reads both. */
async function studies(page, server) {
  for (const [slug, gap] of [
    ["river", 20],
    ["lake", 10],
  ]) {
    const file = join(server.data, `${slug}.csv`);
    writeFileSync(file, ratings(gap));
    server.command("import", slug, file, "--create");
  }
  addPerson(server, "rea");
  addMember(server, "rea", "river", "lead");
  addMember(server, "rea", "lake", "researcher");
  await signInQuickly(page, server, "rea");
}

test("a lead compares with a study that they may read, by the figures of the command", async ({ page, server }) => {
  await studies(page, server);
  await open(page, server, "/s/river/systems");
  await page.getByRole("link", { name: "Protocols" }).click();
  await awake(page);
  await expect(page.getByRole("heading", { name: "Nothing to compare with yet" })).toBeVisible();
  await page.getByRole("checkbox", { name: "lake" }).check();
  await page.getByRole("button", { name: "Show" }).click();
  await expect(page).toHaveURL(/with=lake/);
  await awake(page);
  await expect(page.getByRole("checkbox", { name: "lake" })).toBeChecked();
  // Fourteen outputs are rated twice, which is too little for a finding.
  await expect(page.locator("h2.finding")).toHaveText(/^Too early to say: .* river and lake$/);
  const row = (name) => page.getByRole("row", { name: new RegExp(`^${name}`) }).first();
  await expect(row("lake")).toContainText("1 of 1");
  await expect(row("lake")).toContainText("not recorded");
  const said = JSON.parse(server.command("protocols", "river", "lake", "--json"));
  expect(said.sources).toMatchObject({ shared: 7, rated_in_all: 7 });
  for (const { name, z, raw } of said.protocols) {
    for (const { alpha } of [z, raw]) await expect(row(name)).toContainText(alpha.toFixed(3).replace("-", "−"));
  }
  await open(page, server, "/s/river/protocols?with=lake");
  await light(page);
  await accessible(page);
  await shots(page, "protocols");
  const begun = page.waitForEvent("download");
  await page.getByRole("button", { name: "CSV: Agreement of each protocol" }).click();
  const [head, ...rows] = readFileSync(await (await begun).path(), "utf8")
    .trimEnd()
    .split("\r\n");
  expect(head).toMatch(/^Study,Protocol,Dimension,/);
  expect(rows).toHaveLength(2);
});
