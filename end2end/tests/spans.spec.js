import { readFileSync } from "node:fs";
import { join } from "node:path";
import { addMember, addPerson, signInQuickly } from "../support/people.js";
import { accessible, expect, open, shots, test } from "../support/test.js";
import { begin, ready, saved, study } from "../support/work.js";

const own = [
  "The old ferry stopped running after inspectors found rust.",
  "The ferry was withdrawn. It had carried wood since 1911.",
];
const output = (page, at) => page.locator(".marks-of").nth(at);
const word = (page, at, text) => output(page, at).locator(".unit", { hasText: text }).first();
const marks = (page, at) => output(page, at).locator(".span-mark");
const popup = (page) => page.locator("dialog.popup");
const choose = (page, name) => popup(page).getByRole("button", { name }).click();

test("errors are marked by the mouse, with their level, and nothing is said of an output without any", async ({
  page,
  server,
}) => {
  study(server, { template: "span-errors", own });
  await begin(page, server);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Mark spans");
  await expect(page.getByText("2 outputs left to mark.")).toBeVisible();
  await accessible(page);

  // Dragged over, words are one mark; then it is said what they are, and how bad.
  const [from, to] = await Promise.all(["The", "ferry"].map(async (text) => (await word(page, 0, text)).boundingBox()));
  await page.mouse.move(from.x + 4, from.y + from.height / 2);
  await page.mouse.down();
  await page.mouse.move(to.x + to.width / 2, to.y + to.height / 2, { steps: 6 });
  await expect(output(page, 0).locator(".unit.selected")).not.toHaveCount(1);
  await page.mouse.up();
  await expect(popup(page).getByRole("heading")).toHaveText(/^“The (old )?ferry”$/);
  await shots(page, "work-spans-type");
  await choose(page, /^1?Made up|^3?Made up/);
  await expect(popup(page).getByRole("group", { name: "Level" })).toBeVisible();
  await accessible(page);
  await choose(page, /minor/);
  await expect(popup(page)).toBeHidden();
  await expect(marks(page, 0)).toHaveText([/^1\. Made up“The (old )?ferry”minor$/]);

  // One undo takes the level back, the next one the mark.
  await page.keyboard.press("Control+z");
  await expect(marks(page, 0)).toHaveText([/needs a level$/]);
  await page.keyboard.press("Control+z");
  await expect(marks(page, 0)).toHaveCount(0);
  await page.keyboard.press("Control+Shift+Z");
  await page.keyboard.press("Control+Shift+Z");
  await expect(marks(page, 0)).toHaveText([/minor$/]);

  // Words of the source that an output leaves out.
  await output(page, 0).getByRole("button", { name: "Mark words of the source…" }).click();
  await expect(popup(page).getByRole("group", { name: "Type" }).getByRole("button")).toHaveCount(1);
  await choose(page, /Left out/);
  const source = page.getByRole("toolbar", { name: "Words of the source" });
  await source.getByRole("button", { name: "timber", exact: true }).click();
  await page.getByRole("button", { name: "Done" }).click();
  await choose(page, /major/);
  await expect(marks(page, 0)).toHaveCount(2);
  await expect(output(page, 0)).toContainText("Left out“timber”major");

  // A mark that needs words of both texts asks for those of the source.
  await word(page, 1, "ferry").click();
  await choose(page, /Changed meaning/);
  await source.getByRole("button", { name: "hull", exact: true }).click();
  await page.getByRole("button", { name: "Done" }).click();
  await choose(page, /minor/);
  await expect(marks(page, 1)).toHaveText([/Changed meaning“hull” → “ferry”minor/]);
  await word(page, 1, "ferry").click();
  await choose(page, "Remove the mark");
  await expect(marks(page, 1)).toHaveCount(0);
  await output(page, 1).getByRole("button", { name: "Nothing to mark" }).click();
  await expect(page.getByText("All outputs are marked.")).toBeVisible();
  await saved(page);
  await shots(page, "work-spans-errors");

  await page.reload();
  await ready(page);
  await expect(marks(page, 0)).toHaveCount(2);
  await expect(output(page, 1).getByRole("button", { name: "Nothing to mark" })).toHaveAttribute(
    "aria-pressed",
    "true",
  );
  await page.getByRole("button", { name: "Continue to the scores" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Rate");
  // The marks are those of the step before, not the computer's.
  await expect(page.locator(".output-card .par, .output-card .caret")).toHaveCount(0);
});

test("a press beside words opens nothing, a drag ends anywhere, and a mark whose type is gone gets another one", async ({
  page,
  server,
  browser,
}) => {
  study(server, { template: "span-errors", own });
  await begin(page, server);
  const text = await output(page, 0).locator(".words").boundingBox();
  await page.mouse.click(text.x + text.width - 5, text.y + text.height / 2);
  await expect(output(page, 0).locator(".unit:focus")).toHaveCount(1);
  await expect(popup(page)).toBeHidden();

  const last = await output(page, 0).locator(".unit").nth(3).boundingBox();
  const first = await output(page, 0).locator(".unit").nth(1).boundingBox();
  await page.mouse.move(last.x + 4, last.y + 8);
  await page.mouse.down();
  await page.mouse.move(first.x + 4, first.y + 8, { steps: 5 });
  await page.mouse.move(first.x + 4, 20, { steps: 5 });
  await page.mouse.up();
  await expect(output(page, 0).locator(".unit.selected")).toHaveCount(3);
  await expect(popup(page).getByRole("group", { name: "Type" })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(popup(page)).toBeHidden();

  // The digit of a type with words of the source asks for these; meanwhile the marks can change.
  await output(page, 0).locator(".unit").first().focus();
  await page.keyboard.press("3");
  await page.keyboard.press("1");
  await expect(marks(page, 0)).toHaveText([/Made up.*minor$/]);
  await output(page, 0).locator(".unit").first().focus();
  await page.keyboard.press("2");
  await expect(page.getByText("Choose the source words that belong to the mark.")).toBeVisible();
  await page.getByRole("button", { name: "Cancel" }).click();
  await output(page, 0).locator(".unit").nth(1).focus();
  await page.keyboard.press("1");
  await expect(page.getByText("Choose the source words that belong to the mark.")).toBeVisible();
  await page.keyboard.press("Space");
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(marks(page, 0)).toHaveCount(1);
  await page.getByRole("button", { name: "Done" }).click();
  await expect(marks(page, 0)).toHaveText([/Made up.*minor$/]);

  // A type that the lead takes away.
  await saved(page);
  addPerson(server, "lea");
  addMember(server, "lea", "river", "lead");
  const lead = await (await browser.newContext({ baseURL: server.url })).newPage();
  await signInQuickly(lead, server, "lea");
  await open(lead, server, "/s/river/settings/scales");
  await lead.getByRole("textbox", { name: "Name of type 3" }).fill("");
  await lead.getByRole("button", { name: "Save the types" }).click();
  await expect(lead.getByText("The types and levels have been saved.")).toBeVisible();

  await page.reload();
  await ready(page);
  await expect(marks(page, 0)).toHaveText([/needs another type$/]);
  // Another mark of the output can be made and saved all the same.
  await output(page, 0).locator(".unit").nth(2).focus();
  await page.keyboard.press("4");
  await page.keyboard.press("2");
  await expect(marks(page, 0)).toHaveCount(2);
  await saved(page);
  await marks(page, 0).first().getByRole("button").click();
  await expect(popup(page)).toContainText("Made up (no longer used)");
  await shots(page, "work-spans-stale");
  await choose(page, /Bad English/);
  await expect(marks(page, 0).first()).toContainText("Bad English");
  await expect(marks(page, 0).first()).toContainText("minor");
  await saved(page);
});

test("experts check the computer's marks by keyboard alone, up to submitting", async ({ page, server }) => {
  study(server, { template: "expert-evaluation", own });
  await begin(page, server);
  await expect(marks(page, 0).first()).toContainText("needs a level");
  await page.locator(".rules summary").click();
  await expect(page.locator(".rules li")).toHaveCount(16);
  await accessible(page);
  await shots(page, "work-spans-expert");

  // A mark without a level is named, and leads there.
  await page.getByRole("button", { name: "Continue to the scores" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Rate");
  await expect(page.locator(".output-card").first().getByRole("heading")).toBeFocused();
  for (const key of "5544") await page.keyboard.press(key);
  await page.keyboard.press("Control+Enter");
  const dialog = page.getByRole("dialog", { name: "Not ready to submit" });
  await expect(dialog.getByRole("listitem").first()).toContainText(/^Output 1: mark 1 \(“.+”\) needs a level$/);
  await dialog.getByRole("button", { name: "Output 1" }).first().press("Enter");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Mark spans");

  // Every mark gets its level from its button, by a digit.
  for (const at of [0, 1]) {
    const count = await marks(page, at).count();
    for (let number = 0; number < count; number++) {
      const button = marks(page, at).nth(number).getByRole("button");
      if (!(await button.textContent()).endsWith("needs a level")) continue;
      await button.press("Enter");
      await expect(popup(page)).toBeVisible();
      await page.keyboard.press("2");
      await expect(popup(page)).toBeHidden();
      await expect(button).toContainText("half correct");
    }
  }

  // Words are selected with Shift, and marked by the digit of a type.
  const first = word(page, 0, "The");
  await first.focus();
  await page.keyboard.press("Shift+ArrowRight");
  await expect(output(page, 0).locator(".unit.selected")).toHaveCount(2);
  await page.keyboard.press("6");
  await expect(popup(page).getByRole("heading")).toHaveText(/^“The (old|ferry)”$/);
  await page.keyboard.press("3");
  await expect(popup(page)).toBeHidden();
  await expect(output(page, 0)).toContainText(/Addition“The (old|ferry)”wrong/);
  await expect(page.getByText("All outputs are marked.")).toBeVisible();
  await page.keyboard.press("Control+Enter");
  await expect(page.getByText("All outputs are marked and rated.")).toBeVisible();
  await page.keyboard.press("Control+Enter");
  await expect(page).toHaveURL(/\/s\/river\/work$/);
});

test("on a phone, words of forty outputs are tapped and the stretch is made longer in the dialog", async ({
  page,
  server,
}) => {
  study(server, { template: "edit-quality", many: 40 });
  await page.setViewportSize({ width: 390, height: 844 });
  await begin(page, server);
  // Two of them have the same text.
  await expect(page.locator(".marks-of")).toHaveCount(39);
  const before = await marks(page, 0).count();
  const plain = output(page, 0).locator(".unit:not([class*=' t'])").first();
  await plain.click();
  const title = popup(page).getByRole("heading");
  const short = await title.textContent();
  await choose(page, "One word more →");
  await expect(title).not.toHaveText(short);
  await choose(page, "One word less");
  await expect(title).toHaveText(short);
  await choose(page, /Added information/);
  await choose(page, /helps a lot/);
  await expect(marks(page, 0)).toHaveCount(before + 1);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  await output(page, 0).getByRole("button", { name: "Back to the computer's marks" }).click();
  await expect(marks(page, 0)).toHaveCount(before);
  await output(page, 0).locator(".unit").first().focus();
  for (let at = 0; at < 38; at++) await page.keyboard.press("ArrowDown");
  await expect(output(page, 38).locator(".unit:focus")).toHaveCount(1);
  await shots(page, "work-spans-phone");
});

/** Marks one word or two as made up, scores the output and submits the source. */
async function judge(page, server, name, twoWords) {
  await page.context().clearCookies();
  await begin(page, server, name);
  await word(page, 0, "old").focus();
  if (twoWords) await page.keyboard.press("Shift+ArrowRight");
  await page.keyboard.press("3");
  await expect(popup(page).getByRole("group", { name: "Level" })).toBeVisible();
  await page.keyboard.press("2");
  await expect(marks(page, 0)).toHaveText([/major$/]);
  await page.keyboard.press("Control+Enter");
  await expect(page.getByRole("heading", { level: 2, name: "Output 1" })).toBeFocused();
  for (const key of ["4", "0", "Enter", "Control+Enter"]) await page.keyboard.press(key);
  await expect(page).toHaveURL(/\/s\/river\/work$/);
}

test("a lead chooses spans as a step, and sees the marks of two annotators with their agreement", async ({
  page,
  server,
}) => {
  const annotators = ["annotator 1", "annotator 2"];
  study(server, { own: [own[0]], overlap: 2, annotators });
  addPerson(server, "lea");
  addMember(server, "lea", "river", "lead");
  await signInQuickly(page, server, "lea");
  await open(page, server, "/s/river/settings/protocol");
  await page.getByRole("checkbox", { name: "Categorise" }).uncheck();
  await page.getByRole("radio", { name: "Mark spans" }).check();
  await page.getByRole("radio", { name: "Rate", exact: true }).check();
  await page.getByLabel("Types and levels").selectOption("span-errors");
  await accessible(page);
  await shots(page, "lead-protocol-spans");
  await page.getByRole("button", { name: "Save the protocol" }).click();
  await expect(page.getByText("The protocol has been saved.")).toBeVisible();

  await open(page, server, "/s/river/settings/scales");
  await expect(page.getByRole("textbox", { name: "Name of type 1", exact: true })).toHaveValue("Changed meaning");
  await page.getByRole("textbox", { name: "Name of type 6" }).fill("Left out");
  page.ignoreErrors(/422/);
  await page.getByRole("button", { name: "Save the types" }).click();
  await expect(page.getByText("“Left out” is there twice")).toBeVisible();
  page.ignoreErrors(undefined);
  await page.getByRole("textbox", { name: "Name of type 6" }).fill("Tone");
  await page.getByRole("textbox", { name: "Number of level 2" }).fill("10");
  await page.getByLabel("Rules to judge by").fill("Say who does what.\n\nUse short words.");
  await accessible(page);
  await shots(page, "lead-scales-spans");
  await page.getByRole("button", { name: "Save the types" }).click();
  await expect(page.getByText("The types and levels have been saved.")).toBeVisible();
  const { settings } = JSON.parse(server.command("study", "export", "river"));
  const [step] = settings.protocol.map((step) => step["mark-spans"]).filter(Boolean);
  expect(step.taxonomy.types.map(({ name }) => name)).toEqual([
    "Changed meaning",
    "Left out",
    "Made up",
    "Bad English",
    "Still hard",
    "Tone",
  ]);
  expect(step.taxonomy.levels[1].value).toBe(10);
  expect(step.taxonomy.rules).toEqual(["Say who does what.", "Use short words."]);
  await open(page, server, "/s/river/preview");
  await ready(page);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Mark spans");

  for (const [at, name] of annotators.entries()) await judge(page, server, name, at === 1);
  await page.context().clearCookies();
  await signInQuickly(page, server, "lea");
  await open(page, server, "/s/river/sources");
  await page.getByRole("link", { name: "s1" }).first().click();
  await expect(page.getByText("“old ferry”")).toBeVisible();
  await accessible(page);
  await shots(page, "lead-source-spans");
  await open(page, server, "/s/river/systems");
  await expect(page.getByText("Made up").first()).toBeVisible();
  await accessible(page);
  await shots(page, "lead-systems-spans");
  await open(page, server, "/s/river/agreement");
  // One marked three characters, the other the same and five more.
  const f1 = page.locator(".figures > *", { hasText: "F1, marked spans" });
  await expect(f1).toContainText((6 / 11).toFixed(3));
  await accessible(page);
  await shots(page, "lead-agreement-spans");

  const file = join(server.data, "spans.jsonl");
  server.command("export", "river", "--format", "spans", "-o", file);
  expect(readFileSync(file, "utf8")).toContain('"old ferry"');
  const { all_types: all } = JSON.parse(server.command("spans", "river", "--json"));
  expect(all.f1.value).toBeCloseTo(6 / 11, 6);
});
