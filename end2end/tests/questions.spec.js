import { addMember, addPerson, signInQuickly } from "../support/people.js";
import { accessible, awake, expect, open, shots, test } from "../support/test.js";
import { begin, ready, saved, study } from "../support/work.js";

const own = [
  "The old ferry stopped running after inspectors found rust.",
  "The ferry was withdrawn. It had carried wood since 1911.",
];
const output = (page, at) => page.locator("li.output-card").nth(at);
const group = (place, name) => place.getByRole("group", { name });

test("questions are answered by the mouse, come up after certain answers, and are exported", async ({
  page,
  server,
}) => {
  study(server, { template: "questions", own });
  await begin(page, server);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Answer");
  await expect(page.getByRole("heading", { name: "The source", exact: true, level: 2 })).toBeFocused();
  await expect(page.getByText("3 left to answer")).toBeVisible();
  await accessible(page);
  await shots(page, "work-questions");

  await group(page, "How hard is the source to read?").getByRole("radio", { name: "Hard", exact: true }).check();
  const first = output(page, 0);
  await expect(first.getByLabel("What is missing?")).toHaveCount(0);
  await group(first, "Is anything important missing?").getByRole("radio", { name: "Yes", exact: true }).check();
  await first.getByLabel("What is missing?").fill("<b>That it carried timber</b>");
  await group(first, /^Does it say anything/)
    .getByRole("radio", { name: "Yes", exact: true })
    .check();
  const added = group(first, "What did it add?");
  await added.getByRole("checkbox", { name: "Something false" }).check();
  await added.getByRole("checkbox", { name: "A detail that the source does not give" }).check();
  await group(first, "Is it easy to read?").getByRole("radio", { name: "Yes", exact: true }).check();
  await expect(page.getByText("1 left to answer")).toBeVisible();

  // One undo takes one answer back; a hidden answer is kept, and comes back with its question.
  await page.keyboard.press("Control+z");
  await expect(page.getByText("2 left to answer")).toBeVisible();
  await page.keyboard.press("Control+Shift+Z");
  await group(first, "Is anything important missing?").getByRole("radio", { name: "No", exact: true }).check();
  await expect(first.getByLabel("What is missing?")).toHaveCount(0);
  await group(first, "Is anything important missing?").getByRole("radio", { name: "Yes", exact: true }).check();
  await expect(first.getByLabel("What is missing?")).toHaveValue("<b>That it carried timber</b>");
  await saved(page);
  await page.reload();
  await ready(page);
  await expect(added.getByRole("checkbox", { checked: true })).toHaveCount(2);
  await accessible(page);
  await shots(page, "work-questions-answered");

  // The refusal names the missing part and links to it.
  await page.getByRole("button", { name: "Submit" }).click();
  const dialog = page.getByRole("dialog", { name: "Not ready to submit" });
  await expect(dialog.getByRole("listitem").first()).toHaveText(
    "Output 2 has no answer to “Is anything important missing?”",
  );
  await dialog.getByRole("button", { name: "Output 2" }).first().click();
  await expect(output(page, 1).getByRole("heading")).toBeFocused();

  // By keys: a digit answers, Enter leads on. A click on the text takes no key away.
  await output(page, 1).locator(".text").click();
  await page.keyboard.press("2");
  await expect(
    group(output(page, 1), "Is anything important missing?").getByRole("radio", { name: "No" }),
  ).toBeChecked();
  await page.keyboard.press("Enter");
  await page.keyboard.press("1");
  await page.keyboard.press("Enter");
  // Several options: each digit adds one, or takes it out.
  for (const key of ["1", "2", "1"]) await page.keyboard.press(key);
  await expect(group(output(page, 1), "What did it add?").getByRole("checkbox", { checked: true })).toHaveCount(1);
  await page.keyboard.press("Enter");
  await page.keyboard.press("1");
  await page.keyboard.press("ArrowDown");
  await expect(group(output(page, 1), "Is it easy to read?").getByRole("radio", { name: "Mostly" })).toBeChecked();
  await page.keyboard.press("Enter");
  await page.keyboard.press("2");
  await expect(page.getByText("Everything is answered.", { exact: true })).toBeVisible();
  await page.keyboard.press("Control+Enter");
  await expect(page).toHaveURL(/\/s\/river\/work$/);

  const table = server.command("export", "river", "--format", "answers");
  expect(table).toContain("source_id,output_id,system,rater,about,question,wording,options,answer,shared,recorded_at");
  expect(table).toContain("<b>That it carried timber</b>");
  expect(table).toContain("wrong detail,Something false; A detail that the source does not give");
  expect(server.command("export", "river", "--format", "jsonl")).toContain('"source_answers":[{"rater":"annotator 1"');
});

test("a lead sees questions and expects answers, and annotators see them after their own", async ({ page, server }) => {
  study(server, { template: "questions", own, sources: 2, overlap: 9 });
  addPerson(server, "lea");
  addMember(server, "lea", "river", "lead");
  await signInQuickly(page, server, "lea");
  await open(page, server, "/s/river/settings/scales");
  await expect(page.getByRole("heading", { name: "Questions" })).toBeVisible();
  await accessible(page);
  await shots(page, "lead-questions");
  await page.locator("#question-1-text").fill("Is a main point missing?");
  await page.getByRole("button", { name: "Save the questions" }).click();
  await expect(page.getByText("The questions have been saved.")).toBeVisible();
  await open(page, server, "/s/river/settings/protocol");
  await expect(page.getByLabel("No scores")).toBeChecked();
  await accessible(page);
  await shots(page, "lead-protocol-questions");

  await open(page, server, "/s/river/training");
  await page.getByLabel("Source", { exact: true }).fill("s1");
  await page.getByLabel("Purpose").selectOption({ label: "tutorial" });
  await page.getByRole("button", { name: "Add" }).click();
  await page.getByRole("link", { name: "Expected answers of s1" }).click();
  await expect(page.getByText("exactly the options that you expect")).toBeVisible();
  await awake(page);
  await page.getByLabel("How hard is the source to read? (the source)").selectOption({ label: "Hard" });
  await page.getByLabel("Is a main point missing? (output 1)").selectOption({ label: "Yes" });
  await page.getByRole("button", { name: "Save all" }).click();
  await expect(page.getByText("One expected answer has been saved.")).toBeVisible();
  await awake(page);
  await accessible(page);
  await shots(page, "lead-expected-answers");
  await expect(page.getByLabel("Is a main point missing? (output 1)")).toHaveValue("yes");

  await page.context().clearCookies();
  await begin(page, server);
  const hard = group(page, "How hard is the source to read?");
  await hard.getByRole("radio", { name: "Easy", exact: true }).check();
  await expect(hard.getByText("“Hard” is expected.")).toBeVisible();
  await hard.getByRole("radio", { name: "Hard", exact: true }).check();
  await expect(hard.getByText("Right: “Hard” is expected.")).toBeVisible();
  await accessible(page);
  await saved(page);
});

test("questions about forty outputs are answered by keys alone, also at phone width", async ({ page, server }) => {
  study(server, { template: "questions", many: 41 });
  await page.setViewportSize({ width: 360, height: 740 });
  await begin(page, server);
  // Two of them have the same text. What is left is told by outputs, and the source is one more.
  await expect(page.locator("li.output-card")).toHaveCount(40);
  await expect(page.getByText("41 left to answer")).toBeVisible();
  await page.keyboard.press("1");
  await page.keyboard.press("Enter");
  for (let at = 0; at < 40; at++) {
    await expect(output(page, at).getByRole("heading")).toBeFocused();
    // The optional remark, which comes last, stays empty.
    for (const key of ["2", "Enter", "2", "Enter", "1", "Escape", "j"]) await page.keyboard.press(key);
  }
  await expect(page.getByText("Everything is answered.", { exact: true })).toBeVisible();
  // A question that came up is answered, too.
  await group(output(page, 0), "Is anything important missing?")
    .getByRole("radio", { name: "Yes", exact: true })
    .check();
  await expect(page.getByText("1 left to answer")).toBeVisible();
  await output(page, 0).getByLabel("What is missing?").fill("who");
  await output(page, 0).getByLabel("What is missing?").blur();
  await expect(page.getByText("Everything is answered.", { exact: true })).toBeVisible();
  await saved(page);
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  expect(width).toBeLessThanOrEqual(360);
  await accessible(page);
});
