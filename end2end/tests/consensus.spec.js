import { readFileSync } from "node:fs";
import { join } from "node:path";
import { addMember, addPerson, signInQuickly } from "../support/people.js";
import { accessible, expect, open, shots, test } from "../support/test.js";
import { begin, rows, saved, step, study, type } from "../support/work.js";

const annotators = ["annotator 1", "annotator 2"];
const own = ["The old ferry stopped running after inspectors found rust."];
const marks = (page) => page.locator(".span-mark");
const popup = (page) => page.locator("dialog.popup");
const row = (page, name) => page.getByRole("row", { name });
const decision = (page, name) => page.getByLabel(`Consensus on ${name}`);

/** An annotator marks one word or two and gives the score of that many digits. */
async function submit(page, server, name, words, score) {
  await page.context().clearCookies();
  await begin(page, server, name);
  await page.locator(".marks-of .unit", { hasText: "old" }).first().focus();
  for (let more = 1; more < words; more++) await page.keyboard.press("Shift+ArrowRight");
  await page.keyboard.press("3");
  await expect(popup(page).getByRole("group", { name: "Level" })).toBeVisible();
  await page.keyboard.press("2");
  await expect(marks(page)).toHaveText([/major$/]);
  await page.keyboard.press("Control+Enter");
  await expect(page.getByRole("heading", { level: 2, name: "Output 1" })).toBeFocused();
  for (const key of [...score, "Enter", "Control+Enter"]) await page.keyboard.press(key);
  await expect(page).toHaveURL(/\/s\/river\/work$/);
}

async function signInAs(page, server, name) {
  await page.context().clearCookies();
  await signInQuickly(page, server, name);
}

test("two annotators agree mark by mark and score by score, and figures show their consensus", async ({
  page,
  server,
}) => {
  study(server, { template: "span-errors", own, overlap: 2, annotators });
  addPerson(server, "lea");
  addMember(server, "lea", "river", "lead");
  await submit(page, server, "annotator 1", 1, "40");

  await signInAs(page, server, "lea");
  await open(page, server, "/s/river/consensus");
  await expect(page.getByText("Nothing to agree on yet")).toBeVisible();
  await accessible(page);
  await open(page, server, "/s/river/settings/protocol");
  await page.getByRole("checkbox", { name: "Annotators may agree on a consensus" }).check();
  await page.getByRole("button", { name: "Save the protocol" }).click();
  await expect(page.getByText("The protocol has been saved.")).toBeVisible();

  await submit(page, server, "annotator 2", 2, "60");
  await expect(page.getByRole("heading", { name: "Agree with others" })).toBeVisible();
  await accessible(page);
  await shots(page, "work-agree");
  await page.getByRole("link", { name: "Show these sources" }).click();
  await expect(row(page, /s1/)).toContainText("annotator 1 and annotator 2");
  await accessible(page);
  await shots(page, "consensus-list");
  await page.getByRole("link", { name: "Begin: s1" }).click();
  await expect(page.getByText("can no longer change their own")).toBeVisible();
  await accessible(page);
  await page.getByRole("button", { name: "Begin the consensus" }).click();

  await expect(page.getByRole("heading", { name: "Where the raters differ" })).toBeVisible();
  await expect(page.getByText("3 questions left to decide")).toBeVisible();
  await expect(row(page, /overall/)).toContainText("4060");
  await expect(row(page, "Made up “old” (output)")).toContainText("majornot marked");
  await accessible(page);
  await shots(page, "consensus-open");

  // What is decided is saved by finishing too early, too.
  await decision(page, "overall").fill("50");
  await page.getByRole("button", { name: "Finish the consensus" }).click();
  await expect(page.getByText("The consensus is not finished: 2 questions left to decide.")).toBeVisible();
  await expect(decision(page, "overall")).toHaveValue("50");
  await decision(page, "Made up: “old” (output)").selectOption("Leave it out");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("The decisions have been saved.")).toBeVisible();
  // The page before says so, too.
  await expect(page.getByText("1 question left to decide")).toBeVisible();
  await decision(page, "Made up: “old ferry” (output)").selectOption("minor");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("Everything is decided.")).toBeVisible();

  // Words that nobody marked can be added: a line that does not read loses nothing.
  await page.getByText("Add a mark that nobody made").click();
  const lines = page.getByLabel("Marks to add to Output 1");
  await accessible(page);
  page.ignoreErrors(/422/);
  await lines.fill("Made up: ships");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("Line 1: “ships” is not in the output")).toBeVisible();
  await expect(lines).toHaveValue("Made up: ships");
  page.ignoreErrors(undefined);
  await lines.fill("Made up: rust");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("1 question left to decide")).toBeVisible();
  await expect(row(page, "Made up “rust” (output)")).toContainText("not markednot marked");
  await shots(page, "consensus-added");
  await decision(page, "Made up: “rust” (output)").selectOption("minor");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("Everything is decided.")).toBeVisible();
  await page.getByRole("button", { name: "Finish the consensus" }).click();
  await expect(page.getByText("The consensus is finished.")).toBeVisible();
  await expect(row(page, /s1/)).toContainText("finished");

  // Their own answers stay as they are: the source cannot be opened again.
  await open(page, server, "/s/river/work");
  await page.getByRole("link", { name: /^The old ferry/ }).click();
  await expect(page.getByText("You have submitted this source. It can no longer be changed.")).toBeVisible();
  await expect(page.getByRole("button", { name: "Change my answers" })).toHaveCount(0);

  await signInAs(page, server, "lea");
  await open(page, server, "/s/river/systems");
  await page.getByLabel("Answers").selectOption("of the consensus");
  await expect(page).toHaveURL(/count=consensus/);
  await expect(page.locator("#systems")).toContainText("50");
  await accessible(page);
  await shots(page, "consensus-systems");
  await open(page, server, "/s/river/consensus");
  await page.getByRole("link", { name: "Look at it: s1" }).click();
  await expect(row(page, "Made up “old ferry” (output)")).toContainText("minor");
  await accessible(page);
  await shots(page, "consensus-finished");

  const file = join(server.data, "consensus.jsonl");
  server.command("export", "river", "--format", "spans", "--consensus", "-o", file);
  const exported = readFileSync(file, "utf8");
  expect(exported).toContain('"consensus"');
  expect(exported).toContain('"old ferry"');
  expect(exported).toContain('"rust"');
  expect(exported).not.toContain('"annotator 1"');
  const systems = JSON.parse(server.command("systems", "--study", "river", "--consensus", "--json"));
  expect(JSON.stringify(systems)).toContain("50");
});

test("annotators agree on edits one by one, and the alignments of their consensus are exported", async ({
  page,
  server,
}) => {
  const output = "The ferry was taken out of service. It carried wood since 1911. Its hull was rusty.";
  study(server, { own: [output], overlap: 2, annotators });
  addPerson(server, "lea");
  addMember(server, "lea", "river", "lead");
  for (const name of annotators) {
    await page.context().clearCookies();
    await begin(page, server, name);
    await step(page, "Check edits");
    if (name === "annotator 1") {
      await page.locator(".edits-of .unit.par", { hasText: "wood" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Not an edit" }).click();
    }
    await step(page, "Rank & rate");
    for (const row of await rows(page).all()) await type(row, 50);
    await saved(page);
    await page.getByRole("button", { name: "Submit" }).click();
    await expect(page).toHaveURL(/\/s\/river\/work$/);
  }

  await signInAs(page, server, "lea");
  await open(page, server, "/s/river/consensus");
  await page.getByRole("link", { name: "Begin: s1" }).click();
  await page.getByRole("button", { name: "Begin the consensus" }).click();
  await expect(page.getByText("1 question left to decide")).toBeVisible();
  const wood = row(page, /^Paraphrase “timber” → “wood”/);
  await expect(wood).toContainText("not markedmarked");
  await accessible(page);
  await shots(page, "consensus-edits");
  await decision(page, "Paraphrase: “timber” → “wood”").selectOption("Leave it out");
  await page.getByRole("button", { name: "Finish the consensus" }).click();
  await expect(page.getByText("The consensus is finished.")).toBeVisible();

  const table = join(server.data, "alignments.tsv");
  server.command("export", "river", "--format", "alignments", "--consensus", "-o", table);
  const [header, ...lines] = readFileSync(table, "utf8").trimEnd().split("\n");
  expect(header).toContain("annotator\tstate");
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain("\tconsensus\tcorrected\ts1\t");
});
