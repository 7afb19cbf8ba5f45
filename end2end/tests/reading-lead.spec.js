import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { addMember, addPerson, signIn } from "../support/people.js";
import { accessible, awake, expect, open, shots, test } from "../support/test.js";

const CONDITIONS = ["Original", "Elementary", "T5", "BART", "ChatGPT", "Rules", "Copy"];
const TEXTS = {
  Original: (n) => `The ferry number ${n}, which had crossed the river since dawn, stopped when the fog came in.`,
  Elementary: (n) => `Ferry ${n} crossed the river in the morning. It stopped because of fog.`,
  T5: (n) => `The ferry number ${n} stopped when the fog came in.`,
  BART: (n) => `The ferry ${n} had crossed since dawn.`,
  ChatGPT: (n) => `Ferry ${n} crossed the river from the early morning, and stopped in the fog.`,
  Rules: (n) => `It stopped. This was number ${n}.`,
  Copy: (n) => `The ferry number ${n}, which had crossed the river since dawn, stopped when the fog came in.`,
};
const QUESTIONS = [
  ["q1", "When did the ferry stop?", "when the fog came", "at dawn", "in the evening", "it never did"],
  ["q2", "What crossed the river?", "a ferry boat", "a bridge", "the fog", "a school"],
  ["q3", "Since when had it crossed?", "early morning", "the fog", "last year", "at noon"],
];

/** Seven conditions with simulated answers: the later a condition is in the list, the more answers are wrong. */
function file(passages) {
  const rows = ["passage,title,condition,text,question,question_text,a,b,c,d,participant,answer"];
  const cell = (text) => `"${text}"`;
  for (let n = 1; n <= passages; n++) {
    CONDITIONS.forEach((condition, place) => {
      rows.push(`${[`p${n}`, `Ferry ${n}`, condition, cell(TEXTS[condition](n))].join(",")},,,,,,,,`);
      QUESTIONS.forEach(([name, text, ...answers], at) => {
        const chance = (7 * n + 3 * at + 5 * place) % 11;
        const given = chance >= place ? "A" : ["unanswerable", "B", "C", "D"][(n + at) % 4];
        const asked = [name, text, ...answers].map(cell).join(",");
        rows.push(`p${n},,${condition},,${asked},simulated ${place + 1},${given}`);
      });
    });
  }
  return `${rows.join("\n")}\n`;
}

async function lead(page, server, passages) {
  server.command("study", "create", "river", "--name", "River study");
  addPerson(server, "a lead");
  addMember(server, "a lead", "river", "lead");
  const path = join(server.data, "answers.csv");
  writeFileSync(path, file(passages));
  server.command("rc", path, "--study", "river");
  await signIn(page, server, "a lead");
}

test("a lead sees chosen questions, stability, support, metrics, and the hardest passages", async ({
  page,
  server,
}) => {
  await lead(page, server, 8);
  await open(page, server, "/s/river/reading");
  await page.getByRole("link", { name: "A closer look" }).click();
  await expect(page.getByRole("heading", { name: "Reading, a closer look" })).toBeVisible();
  await expect(page.locator(".live-sign")).toHaveText("Live");
  for (const title of [
    "Answerability on chosen questions",
    "How certain the ranking is",
    "Can “unanswerable” be predicted?",
    "Do metrics order systems as readers do?",
  ]) {
    await expect(page.getByRole("button", { name: `CSV: ${title}` })).toBeVisible();
  }
  // Conditions that are named as in published datasets get their roles automatically.
  await expect(page.getByLabel("What was simplified")).toHaveValue("Original");
  const by = page.getByRole("group", { name: "Also written by people" });
  await expect(by.getByRole("checkbox", { checked: true })).toHaveCount(1);
  await expect(page.locator('[data-file="reading-metrics"] .mark').first()).toBeVisible();
  await expect(page.locator('[data-file="reading-metrics"]')).toContainText("sari");
  await accessible(page);
  await shots(page, "reading-analysis");

  // Another choice gives other figures, and an address that can be shared.
  const chosen = page.locator('[data-file="reading-answerability"] .chart-method');
  const before = await chosen.textContent();
  const questions = page.getByRole("group", { name: "Count questions answerable in all of" });
  await questions.getByLabel("Copy").check();
  await by.getByLabel("Elementary").uncheck();
  await page.getByLabel("Curve of the support of").selectOption("question");
  await page.getByRole("button", { name: "Show" }).click();
  await expect(page).toHaveURL(/in=Copy/);
  await expect(page.getByRole("heading", { name: "Curve: question, all words" })).toBeVisible();
  await expect(chosen).not.toHaveText(before);
  await expect(page.locator('[data-file="reading-metrics"]')).toContainText("there are no references");

  // The figures are updated when answers arrive.
  const answers = page.locator('[data-file="reading-stability"] figcaption');
  await expect(answers).toContainText("random subsets of the 8 passages");
  await expect(page.locator(".live-sign")).toHaveText("Live");
  const path = join(server.data, "more.csv");
  writeFileSync(path, file(9));
  server.command("rc", path, "--study", "river");
  await expect(answers).toContainText("random subsets of the 9 passages");

  await page.getByRole("link", { name: "Passages and questions" }).click();
  await expect(page.getByRole("heading", { name: /^The hardest passage is / })).toBeVisible();
  await expect(page.locator('[data-file="reading-questions"] .mark:visible')).toHaveCount(12);
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "CSV: The hardest questions" }).click();
  expect((await download).suggestedFilename()).toBe("reading-questions.csv");
  await accessible(page);
  await shots(page, "reading-passages");
});

const TO_EDIT = `item,title,condition,text,question,question_text,a,b,c,d
p1,The ferry,Original,The ferry stopped when the fog came in.,q1,"When did
it stop?",as it grew foggy,at dawn,in the evening,it never did
p2,The bridge,Original,The bridge was closed because its cables had rusted.,q1,Why was it closed?,it was unsafe,it was narrow,of the wind,of a race
`;

test("a lead maps columns, edits and adds questions, and chooses a practice passage", async ({ page, server }) => {
  server.command("study", "create", "river", "--name", "River study");
  addPerson(server, "a lead");
  addMember(server, "a lead", "river", "lead");
  const path = join(server.data, "texts.csv");
  writeFileSync(path, TO_EDIT);
  await signIn(page, server, "a lead");
  await open(page, server, "/s/river/reading");
  await page.getByRole("button", { name: "Set reading comprehension up" }).click();
  await expect(page.getByText("The set-up has been saved.")).toBeVisible();
  await awake(page);
  await page.locator("#reading-file").setInputFiles(path);
  await page.getByRole("button", { name: "Upload" }).click();
  await expect(page.getByText(/No column is known to name the passage/)).toBeVisible();
  await awake(page);
  await accessible(page);
  await shots(page, "reading-import");
  await page.getByLabel("item is").selectOption("passage");
  await page.getByRole("button", { name: "Import" }).click();
  await expect(page.getByText("Imported: 2 passages, 2 texts, 2 questions.")).toBeVisible();
  await expect(page.getByText("2 passages, 1 condition, 2 questions.")).toBeVisible();
  await open(page, server, "/s/river/reading/passages");
  await page.getByRole("link", { name: "p1 The ferry" }).click();
  await expect(page.getByRole("heading", { name: "p1 The ferry" })).toBeVisible();
  await awake(page);

  // Two answers that differ only in spaces and case are refused, and no input is lost.
  await page.getByText("Edit this question").click();
  const second = await page.context().newPage();
  await expect(page.getByLabel("Question", { exact: true }).first()).toHaveValue("When did it stop?");
  const answer = page.getByLabel("B, misreads the critical span").first();
  await answer.fill("As it grew  foggy");
  page.ignoreErrors(/422/);
  await page.getByRole("button", { name: "Save the question" }).click();
  await expect(page.getByText(/A and B are the same/)).toBeVisible();
  page.ignoreErrors(undefined);
  await expect(answer).toHaveValue("As it grew  foggy");
  await accessible(page);
  await shots(page, "reading-passage");
  await open(second, server, new URL(page.url()).pathname);
  await second.getByText("Edit this question").click();
  await second.getByLabel("A, right").first().fill("when the fog came");
  await page.getByLabel("Question", { exact: true }).first().fill("When did the ferry stop?");
  await answer.fill("at midnight");
  await page.getByRole("button", { name: "Save the question" }).click();
  await expect(page.getByText("The question has been saved.")).toBeVisible();
  await expect(page.getByRole("heading", { name: "q1: When did the ferry stop?" })).toBeVisible();
  await expect(page.getByText("at midnight", { exact: true })).toBeVisible();
  // A lead who started from the old wording gets a message, and keeps their own input.
  page.ignoreErrors(/422/);
  await second.getByRole("button", { name: "Save the question" }).click();
  await expect(second.getByText(/Another person has changed this question/)).toBeVisible();
  page.ignoreErrors(undefined);
  await expect(second.getByLabel("A, right").first()).toHaveValue("when the fog came");
  await expect(page.getByText("as it grew foggy", { exact: true })).toBeVisible();

  await awake(page);
  await page.getByText("Add a question").click();
  const form = page.locator("form").filter({ hasText: "Add the question" });
  const words = {
    Question: "What came in?",
    "A, right": "the fog",
    "B, misreads": "a boat",
    "C, from": "dawn",
    "D, uns": "rain",
  };
  for (const [label, text] of Object.entries(words)) await form.getByLabel(label).fill(text);
  await form.getByRole("button", { name: "Add the question" }).click();
  await expect(page.getByRole("heading", { name: "q2: What came in?" })).toBeVisible();

  await awake(page);
  await page.getByLabel("Purpose", { exact: true }).selectOption("practice");
  await page.getByRole("button", { name: "Save the purpose" }).click();
  await expect(page.getByText("Practice: it is read first and does not count in figures.")).toBeVisible();
  await open(page, server, "/s/river/reading/passages");
  await expect(page.getByRole("link", { name: "p1 The ferry (practice)" })).toBeVisible();
});
