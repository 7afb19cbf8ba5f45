import { addPerson, signInQuickly } from "../support/people.js";
import { accessible, awake, expect, notReached, open, shots, test } from "../support/test.js";
import { begin, ready, saved, study } from "../support/work.js";

const card = (page, number) => page.locator(".output-card").nth(number - 1);
const heading = (page, number) => card(page, number).getByRole("heading");
const question = (page, number, name) => card(page, number).getByRole("group", { name });
const level = (page, number, name, label) =>
  question(page, number, name).getByRole("radio", { name: label, exact: true });

test("Likert levels are chosen by keys, and what is missing is listed by output and question", async ({
  page,
  server,
}) => {
  study(server, { template: "likert", own: ["It stopped.", "The ferry stopped.", "The ferry ended."] });
  await begin(page, server);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Rate");
  await expect(page.getByRole("navigation", { name: "Steps" })).toHaveCount(0);
  await expect(heading(page, 1)).toBeFocused();
  await expect(page.locator(".caret, .par, .spl, .moved")).toHaveCount(0);

  // 5 for adequacy, 4 for fluency, 3 for simplicity; then the next output has the focus. A click on the text takes no key
  // away.
  await card(page, 1).locator(".text").click();
  await page.keyboard.press("5");
  await expect(level(page, 1, "adequacy of Output 1", "All is there")).toBeChecked();
  await page.keyboard.press("4");
  await page.keyboard.press("3");
  await expect(level(page, 1, "simplicity of Output 1", "The same")).toBeChecked();
  await expect(heading(page, 2)).toBeFocused();
  await page.keyboard.press("6");
  await expect(card(page, 2).getByRole("radio", { checked: true })).toHaveCount(0);

  // By the mouse, with undo and redo.
  await question(page, 2, /^fluency/)
    .getByText("Small slips")
    .click();
  await expect(level(page, 2, /^fluency/, "Small slips")).toBeChecked();
  await page.keyboard.press("Control+z");
  await expect(level(page, 2, /^fluency/, "Small slips")).not.toBeChecked();
  await page.keyboard.press("Control+Shift+Z");
  await expect(level(page, 2, /^fluency/, "Small slips")).toBeChecked();

  // A note, and the way by keys.
  await heading(page, 3).focus();
  await page.keyboard.press("n");
  await page.keyboard.type("“Wood” is not timber.");
  await page.keyboard.press("Escape");
  await expect(heading(page, 3)).toBeFocused();
  await page.keyboard.press("k");
  await expect(heading(page, 2)).toBeFocused();
  await saved(page);
  await accessible(page);
  await shots(page, "work-likert");

  await page.reload();
  await ready(page);
  await expect(level(page, 1, /^adequacy/, "All is there")).toBeChecked();
  await expect(level(page, 2, /^fluency/, "Small slips")).toBeChecked();
  await expect(card(page, 3).getByLabel("Note")).toHaveValue("“Wood” is not timber.");

  // The refusal names the missing part and links to it.
  await page.getByRole("button", { name: "Submit" }).click();
  const dialog = page.getByRole("dialog", { name: "Not ready to submit" });
  await expect(dialog.getByRole("listitem")).toHaveText([
    "Output 2 has no score for adequacy",
    "Output 2 has no score for simplicity",
    "Output 3 has no score for adequacy",
    "Output 3 has no score for fluency",
    "Output 3 has no score for simplicity",
  ]);
  await dialog.getByRole("button", { name: "Output 3" }).first().click();
  await expect(heading(page, 3)).toBeFocused();
  for (const key of "444") await page.keyboard.press(key);
  await level(page, 2, /^adequacy/, "All is there").check();
  await level(page, 2, /^simplicity/, "Much simpler").check();
  await expect(page.getByText("All outputs are rated.")).toBeVisible();
  await page.keyboard.press("Control+Enter");
  await expect(page).toHaveURL(/\/s\/river\/work$/);
  expect(server.command("export", "river", "--format", "tidy")).toContain("simplicity");
});

test("forty outputs are rated by keys alone while the server is killed, and submitted", async ({ page, server }) => {
  study(server, { template: "likert", many: 41 });
  await begin(page, server);
  // Two of them have the same text.
  await expect(page.locator(".output-card")).toHaveCount(40);
  for (let at = 1; at <= 40; at++) {
    if (at === 20) {
      page.ignoreErrors(notReached);
      await server.stop("SIGKILL");
    }
    await expect(heading(page, at)).toBeFocused();
    for (const key of "543") await page.keyboard.press(key);
  }
  await expect(page.locator(".save-mark")).toHaveText(/^Offline: \d+ changes waiting$/);
  await server.start();
  await expect(page.locator(".save-mark")).toHaveText("All changes saved", { timeout: 45_000 });
  await page.reload();
  await ready(page);
  page.ignoreErrors(undefined);
  await expect(page.getByRole("radio", { checked: true })).toHaveCount(120);
  await page.keyboard.press("Control+Enter");
  await expect(page).toHaveURL(/\/s\/river\/work$/);
  await expect(page.getByRole("row", { name: /^The old ferry/ })).toContainText("40 of 40");
});

test("a lead chooses a template, then other steps and scales", async ({ page, server }) => {
  addPerson(server, "lea", "--admin");
  await signInQuickly(page, server, "lea");
  await open(page, server, "/studies/new");
  await page.getByLabel("Name", { exact: true }).fill("River study");
  await page.getByLabel("Likert scales").check();
  await page.getByLabel("Begin with a tutorial").check();
  await accessible(page);
  await shots(page, "lead-new-study-template");
  await page.getByRole("button", { name: "Create the study" }).click();
  await expect(page).toHaveURL(/\/s\/river-study$/);
  await open(page, server, "/s/river-study/training");
  await expect(page.getByText("The committee, which had been criticised").first()).toBeVisible();

  await open(page, server, "/s/river-study/settings/protocol");
  await expect(page.getByLabel("Rate", { exact: true })).toBeChecked();
  await page.getByLabel("Categorise").check();
  await page.getByLabel("no source").check();
  page.ignoreErrors(/422/);
  await page.getByRole("button", { name: "Save the protocol" }).click();
  await expect(page.getByRole("alert")).toContainText(
    "the source can only be hidden where annotators do nothing but rate",
  );
  page.ignoreErrors(undefined);
  await page.getByLabel("no source").uncheck();
  await page.getByLabel("one output at a time").check();
  await page.getByRole("button", { name: "Save the protocol" }).click();
  await expect(page.getByText("The protocol has been saved.")).toBeVisible();
  await accessible(page);
  await shots(page, "lead-settings-protocol");

  await open(page, server, "/s/river-study/settings/scales");
  const adequacy = page.getByRole("group", { name: "Dimension 1" });
  await adequacy.getByText("Annotators use levels to choose from").click();
  await adequacy.getByLabel("Levels are called").fill("lost\nkept");
  page.ignoreErrors(/422/);
  await page.getByRole("button", { name: "Save the dimensions" }).click();
  await expect(page.getByRole("alert")).toContainText(
    "a scale from 1 to 5 has 5 levels: write one label for each, not 2",
  );
  page.ignoreErrors(undefined);
  await adequacy.getByLabel("Annotators use").selectOption("a slider without a number");
  await page.getByRole("button", { name: "Save the dimensions" }).click();
  await expect(page.getByText("The dimensions have been saved.")).toBeVisible();
  await awake(page);
  await adequacy.getByText("Annotators use a slider without a number").click();
  await accessible(page);
  await shots(page, "lead-settings-scales-levels");
});

test("outputs are rated one at a time, after their categories, on a phone as well", async ({ page, server }) => {
  study(server, { template: "likert", own: ["It stopped.", "The ferry stopped.", "The ferry ended."] });
  addPerson(server, "lea", "--admin");
  await signInQuickly(page, server, "lea");
  await open(page, server, "/s/river/settings/protocol");
  await page.getByLabel("Categorise").check();
  await page.getByLabel("one output at a time").check();
  await page.getByLabel("a reference").check();
  await page.getByRole("button", { name: "Save the protocol" }).click();
  await expect(page.getByText("The protocol has been saved.")).toBeVisible();
  await page.context().clearCookies();

  await begin(page, server);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Categorise");
  await page.getByRole("button", { name: "Continue to the scores" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Rate");
  await expect(heading(page, 1)).toBeFocused();
  await expect(page.locator(".output-card:visible")).toHaveCount(1);
  await expect(page.getByRole("button", { name: "Previous output" })).toBeHidden();
  for (const key of "555") await page.keyboard.press(key);
  await expect(heading(page, 2)).toBeFocused();
  await expect(page.locator(".output-card:visible")).toHaveCount(1);
  await shots(page, "work-one-at-a-time");
  await accessible(page);
  await page.getByRole("button", { name: "Next output" }).click();
  await expect(heading(page, 3)).toBeFocused();
  await expect(page.getByRole("button", { name: "Submit" })).toBeVisible();
  await page.keyboard.press("k");
  await expect(heading(page, 2)).toBeFocused();

  // On a phone, one that cannot be judged.
  await page.setViewportSize({ width: 360, height: 780 });
  const unjudged = card(page, 2);
  await unjudged.getByRole("button", { name: /^I cannot judge/ }).click();
  await page.screenshot({ path: "shots/work-unjudged-menu-phone.png" });
  const menu = page.getByRole("dialog", { name: "Why can you not judge it?" });
  await menu.getByRole("button", { name: "It belongs to another text" }).click();
  await expect(unjudged).toContainText("Not judged: It belongs to another text");
  await accessible(page);
  await shots(page, "work-unjudged-one");
  await page.getByRole("button", { name: "Next output" }).click();
  await expect(card(page, 3)).toBeVisible();
  await page.getByRole("button", { name: "Previous output" }).click();
  await unjudged.getByRole("button", { name: "I can judge it" }).click();
  await expect(unjudged.getByRole("radio").first()).toBeVisible();
});

test("a template and a study are previewed as annotators see them, and nothing is saved", async ({ page, server }) => {
  addPerson(server, "lea", "--admin");
  await signInQuickly(page, server, "lea");
  await open(page, server, "/studies/new");
  await page.getByRole("link", { name: /^Try it.*Likert scales$/ }).click();
  await ready(page);
  await expect(page.getByText("Preview: nothing is saved")).toBeVisible();
  await expect(heading(page, 1)).toBeFocused();
  for (const key of "543") await page.keyboard.press(key);
  await expect(level(page, 1, /^simplicity/, "The same")).toBeChecked();
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(level(page, 1, /^simplicity/, "The same")).not.toBeChecked();
  await expect(page.getByRole("button", { name: "Submit" })).toHaveCount(0);
  await accessible(page);
  await page.getByRole("link", { name: "Leave the preview" }).click();
  await expect(page).toHaveURL(/\/studies\/new$/);

  // Sliders say what their ends mean.
  await page.goto(`${server.url}studies/new/direct-assessment`);
  await ready(page);
  await expect(card(page, 1)).toContainText("0 says something else");
  for (const score of ["87", "90", "64"]) {
    await page.keyboard.type(score);
    await page.keyboard.press("Enter");
  }
  await expect(heading(page, 2)).toBeFocused();
  await expect(card(page, 1).getByRole("textbox", { name: "fluency of Output 1, as a number" })).toHaveValue("90");
  await accessible(page);
  await shots(page, "work-direct-assessment");

  server.command("study", "create", "river", "--lead", "lea");
  await open(page, server, "/s/river/settings/protocol");
  await page.getByRole("link", { name: "Preview as annotator" }).click();
  await ready(page);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Categorise");
  await page.getByRole("button", { name: "Continue to the edits" }).click();
  await expect(page.locator(".unit.caret").first()).toBeVisible();
  await shots(page, "work-preview");
});
