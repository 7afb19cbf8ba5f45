import { addMember, addPerson, signInQuickly } from "./people.js";
import { awake, expect } from "./test.js";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A source with outputs of all three categories, including an unchanged copy and an identical pair. */
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

/** `many` outputs: those above, then variants of them that differ by a number; the last `repeated` ones repeat the first. */
function texts(many, repeated) {
  return Array.from({ length: many }, (_, number) => {
    const at = number < many - repeated ? number : number - (many - repeated);
    const text = outputs[at % outputs.length];
    return at < outputs.length ? text : text.replace(/\.$/, `, report ${at} says.`);
  });
}

/** Creates a study with one source or several, `many` outputs for each or `own` ones, which may be none, and `overlap` annotators for each, who go through it by `layout`, or work with another `template`. */
export function study(
  server,
  {
    many = 8,
    repeated = 0,
    own = texts(many, repeated),
    sources = 1,
    overlap = 1,
    annotators = ["annotator 1"],
    layout,
    template,
  } = {},
) {
  const folder = mkdtempSync(join(tmpdir(), "rankrate-study-"));
  const file = join(folder, "study.jsonl");
  const rows = Array.from({ length: sources }, (_, n) => {
    const row = { source_id: `s${n + 1}`, source: n === 0 ? source : `${source} It was number ${n + 1}.` };
    return own.length ? own.map((output, at) => ({ ...row, system: `system ${at + 1}`, output })) : [row];
  });
  writeFileSync(
    file,
    rows
      .flat()
      .map((row) => JSON.stringify(row))
      .join("\n"),
  );
  const flow = [...(layout ? ["--layout", layout] : []), ...(template ? ["--template", template] : [])];
  server.command("study", "create", "river", "--name", "River study", "--overlap", String(overlap), ...flow);
  server.command("import", "river", file, "--format", "jsonl");
  rmSync(folder, { recursive: true });
  for (const name of annotators) {
    addPerson(server, name);
    addMember(server, name, "river", "annotator");
  }
}

/** Signs an annotator in and opens the source that is assigned to them in a study. */
export async function begin(page, server, name = "annotator 1", slug = "river") {
  await signInQuickly(page, server, name);
  await page.goto(await given(page, server, slug));
  await ready(page);
}

/** The address of the source that is assigned to the signed-in annotator. */
export async function given(page, server, slug = "river") {
  let address;
  // New imports are held back until they are aligned.
  await expect(async () => {
    const answer = await page.request.post(`${server.url}api/next-source`, {
      form: { slug },
      headers: { accept: "application/json" },
    });
    expect(answer.ok(), await answer.text()).toBe(true);
    address = new URL(answer.headers().location, server.url).href;
    expect(address).toMatch(/\/work\/./);
  }).toPass({ timeout: 60_000 });
  return address;
}

/** Waits until the workspace accepts answers, and the code of its later steps is there: else these get no focus. */
export async function ready(page) {
  await awake(page);
  await page.locator(".work[data-ready]:not(:has([aria-busy]))").waitFor();
  await page.locator("dialog[aria-label='Skip this source']").waitFor({ state: "attached" });
}

/** Waits until the header says that all changes are saved. */
export async function saved(page) {
  await expect(page.locator(".save-mark")).toHaveText("All changes saved");
}

/** Opens a step by its name, and waits until all its outputs are drawn. */
export async function step(page, name) {
  const steps = page.getByRole("navigation", { name: "Steps" });
  await steps.getByRole("button", { name }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(name);
  await expect(page.getByRole("main")).not.toHaveAttribute("aria-busy");
}

/** The rows of step 3 in all categories. */
export const rows = (page) => page.locator(".row");

/** Types a score into a row; the focus goes on to the next row. */
export async function type(row, score) {
  const field = row.getByRole("textbox", { name: /as a number/ }).first();
  await field.fill(String(score));
  await field.press("Enter");
}

/** The texts of step 3 in the order shown, with their scores. */
export async function shown(page) {
  return rows(page).evaluateAll((all) =>
    all.map((row) => ({
      id: row.id,
      score: row.querySelector("input.num").value,
    })),
  );
}
