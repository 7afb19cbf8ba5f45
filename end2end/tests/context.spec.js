import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { addMember, addPerson, signInQuickly } from "../support/people.js";
import { accessible, expect, open, shots, test } from "../support/test.js";
import { begin, rows, step } from "../support/work.js";

const before = "The estuary freezes in most winters, and there has never been a bridge.";
const after = "A bus replaces it. ".repeat(60).trim();

/** A study with one source and the text around it, from a table; its annotator is “annotator 1”. */
function surrounded(server, slug, ...flags) {
  const file = join(server.data, "context.csv");
  const lines = ["The ferry was withdrawn.", "The ferry stopped running."].map(
    (output, at) => `1,The old ferry was withdrawn from service.,"${before}","${after}",${output},system ${at}`,
  );
  writeFileSync(file, ["source_id,source,context_before,context_after,output,system", ...lines, ""].join("\n"));
  server.command("study", "create", slug, "--name", `The ${slug} study`, "--overlap", "1", ...flags);
  server.command("import", slug, file);
  addMember(server, "annotator 1", slug, "annotator");
}

test("annotators see the text around a source, which is no part of it", async ({ page, server }) => {
  addPerson(server, "annotator 1");
  surrounded(server, "river");
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

test("the text around a source is there in other ways of working, on a phone, and for a lead", async ({
  page,
  server,
}) => {
  addPerson(server, "annotator 1");
  await page.setViewportSize({ width: 360, height: 780 });
  for (const [slug, ...flags] of [
    ["river", "--layout", "merged"],
    ["lake", "--template", "direct-assessment"],
  ]) {
    surrounded(server, slug, ...flags);
    await begin(page, server, "annotator 1", slug);
    const source = page.getByRole("region", { name: "Source" });
    await expect(source).toContainText(`Before: ${before}`);
    await expect(source.getByRole("button", { name: "Show more" }).last()).toBeVisible();
    await accessible(page);
  }
  addPerson(server, "lea");
  addMember(server, "lea", "river", "lead");
  await signInQuickly(page, server, "lea");
  await page.setViewportSize({ width: 1280, height: 720 });
  await open(page, server, "/s/river/sources");
  await page.getByRole("link", { name: "1", exact: true }).click();
  await expect(page.locator(".source-text")).toContainText(`Before: ${before}`);
  await accessible(page);
  await shots(page, "source-context");
});
