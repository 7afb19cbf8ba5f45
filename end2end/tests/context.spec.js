import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { addMember, addPerson, signInQuickly } from "../support/people.js";
import { accessible, expect, open, shots, test } from "../support/test.js";
import { begin, rows, step } from "../support/work.js";

const before = "The estuary freezes in most winters, and there has never been a bridge.";
const after = "A bus replaces it. ".repeat(60).trim();

/** A study with one source and the text around it, from a table. */
function surrounded(server, ...flags) {
  const file = join(server.data, "context.csv");
  const lines = ["The ferry was withdrawn.", "The ferry stopped running."].map(
    (output, at) => `1,The old ferry was withdrawn from service.,"${before}","${after}",${output},system ${at}`,
  );
  writeFileSync(file, ["source_id,source,context_before,context_after,output,system", ...lines, ""].join("\n"));
  server.command("study", "create", "river", "--name", "River study", "--overlap", "1", ...flags);
  server.command("import", "river", file);
  addPerson(server, "annotator 1");
  addMember(server, "annotator 1", "river", "annotator");
  return file;
}

test("annotators see the text around a source, which is no part of it", async ({ page, server }) => {
  surrounded(server);
  await begin(page, server);
  const source = page.getByRole("region", { name: "Source" });
  await expect(source).toContainText(`Before: ${before}`);
  await expect(source).toContainText(`After: ${after}`);
  await expect(source.locator(".text")).toHaveText("The old ferry was withdrawn from service.");
  // Only the long one is folded.
  const more = source.getByRole("button", { name: "Show more" });
  await expect(more).toHaveCount(1);
  const height = () =>
    source
      .locator(".context p")
      .last()
      .evaluate((text) => text.clientHeight);
  const folded = await height();
  await accessible(page);
  await shots(page, "context");
  await more.focus();
  await page.keyboard.press("Enter");
  const less = source.getByRole("button", { name: "Show less" });
  await expect(less).toHaveAttribute("aria-expanded", "true");
  expect(await height()).toBeGreaterThan(folded);
  await less.click();
  expect(await height()).toBe(folded);
  for (const name of ["Check edits", "Rank & rate"]) {
    await step(page, name);
    await expect(source).toContainText(before);
    await expect(source.locator(".text")).toHaveText("The old ferry was withdrawn from service.");
  }
  await expect(rows(page)).toHaveCount(2);
});

for (const [name, ...flags] of [
  ["merged", "--layout", "merged"],
  ["one at a time", "--template", "direct-assessment"],
]) {
  test(`the text around a source is there where annotators work: ${name}`, async ({ page, server }) => {
    await page.setViewportSize({ width: 360, height: 780 });
    surrounded(server, ...flags);
    await begin(page, server);
    const source = page.getByRole("region", { name: "Source" });
    await expect(source).toContainText(`Before: ${before}`);
    await expect(source.getByRole("button", { name: "Show more" }).last()).toBeVisible();
    await accessible(page);
  });
}

test("a lead sees what a file brings around its sources, and the same again after an export", async ({
  page,
  server,
}) => {
  const file = surrounded(server);
  addPerson(server, "lea");
  addMember(server, "lea", "river", "lead");
  await signInQuickly(page, server, "lea");
  await open(page, server, "/s/river/sources");
  await page.getByRole("link", { name: "1", exact: true }).click();
  await expect(page.locator(".source-text")).toContainText(`Before: ${before}`);
  await accessible(page);
  await shots(page, "source-context");

  await open(page, server, "/s/river/import");
  await page.getByText("Supported formats").click();
  await expect(page.getByText("context_before and context_after")).toBeVisible();
  await page.locator("input[type=file]").setInputFiles(file);
  await page.getByRole("button", { name: "Upload" }).click();
  await expect(page.getByText("2 contexts")).toBeVisible();
  await expect(page.getByRole("combobox", { name: "context_before is" })).toHaveValue("context_before");

  const exported = join(server.data, "out.jsonl");
  server.command("export", "river", "--format", "jsonl", "-o", exported);
  server.command("import", "lake", exported, "--create");
  const again = server.command("export", "lake", "--format", "jsonl");
  const { context_before, context_after } = JSON.parse(again.split("\n")[0]);
  expect({ context_before, context_after }).toEqual({ context_before: before, context_after: after });
});
