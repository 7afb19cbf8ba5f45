import { addMember, addPerson, signInQuickly } from "./people.js";
import { awake, expect } from "./test.js";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A source and outputs of all three categories, an unchanged copy and an identical pair among them. */
export const source =
  "The old ferry, which had carried timber across the estuary since 1911, was withdrawn from " +
  "service after inspectors discovered extensive corrosion beneath its hull.";

const outputs = [
  "The old ferry stopped running. Inspectors had found a lot of rust under its hull.",
  "The ferry was taken out of service. It carried wood since 1911. Its hull was rusty.",
  "The old ferry was withdrawn. Inspectors discovered corrosion beneath its hull.",
  "The old ferry was withdrawn after inspectors discovered corrosion.",
  "The ferry was withdrawn from service.",
  "The old ferry was withdrawn after inspectors discovered corrosion.",
  "The old boat, which had brought wood across the river mouth since 1911, was retired from " +
    "service after checks showed a lot of rust beneath its hull.",
  source,
];

/** `many` outputs: those above, and further ones that differ from them by a number. */
function texts(many) {
  return Array.from({ length: many }, (_, at) => {
    const text = outputs[at % outputs.length];
    return at < outputs.length ? text : text.replace(/\.$/, `, report ${at} says.`);
  });
}

/** A study of one source or several, `many` outputs a source, each for `overlap` annotators. */
export function study(server, { many = 8, sources = 1, overlap = 1, annotators = ["annotator 1"] } = {}) {
  const folder = mkdtempSync(join(tmpdir(), "rankrate-study-"));
  const file = join(folder, "study.jsonl");
  const rows = Array.from({ length: sources }, (_, n) =>
    texts(many).map((output, at) => ({
      source_id: `s${n + 1}`,
      source: n === 0 ? source : `${source} It was number ${n + 1}.`,
      system: `system ${at + 1}`,
      output,
    })),
  );
  writeFileSync(
    file,
    rows
      .flat()
      .map((row) => JSON.stringify(row))
      .join("\n"),
  );
  server.command("study", "create", "river", "--name", "River study", "--overlap", String(overlap));
  server.command("import", "river", file, "--format", "jsonl");
  rmSync(folder, { recursive: true });
  for (const name of annotators) {
    addPerson(server, name);
    addMember(server, name, "river", "annotator");
  }
}

/** Signs an annotator in and opens the source that they are given. */
export async function begin(page, server, name = "annotator 1") {
  await signInQuickly(page, server, name);
  await page.goto(await given(page, server));
  await ready(page);
}

/** The address of the source that the annotator who is signed in is given. */
export async function given(page, server) {
  let address;
  // What was just imported is held back until it is aligned.
  await expect(async () => {
    const answer = await page.request.post(`${server.url}api/next-source`, {
      form: { slug: "river" },
      headers: { accept: "application/json" },
    });
    expect(answer.ok(), await answer.text()).toBe(true);
    address = new URL(answer.headers().location, server.url).href;
    expect(address).toMatch(/\/work\/./);
  }).toPass({ timeout: 60_000 });
  return address;
}

/** Waits until the workspace takes answers. */
export async function ready(page) {
  await awake(page);
  await page.locator(".work[data-ready]").waitFor();
}

/** Waits until the header says that all is saved. */
export async function saved(page) {
  await expect(page.locator(".save-mark")).toHaveText("All changes saved");
}

/** Shows a step by its name. */
export async function step(page, name) {
  const steps = page.getByRole("navigation", { name: "Steps" });
  await steps.getByRole("button", { name }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(name);
}

/** The rows of step 3, over all categories. */
export const rows = (page) => page.locator(".row");

/** Types a score into a row and goes back to the row. */
export async function type(row, score) {
  const field = row.getByRole("textbox", { name: /as a number/ }).first();
  await field.fill(String(score));
  await field.press("Enter");
}

/** What step 3 shows: the texts in their order, and their scores. */
export async function shown(page) {
  return rows(page).evaluateAll((all) =>
    all.map((row) => ({
      id: row.id,
      score: row.querySelector("input.num").value,
    })),
  );
}
