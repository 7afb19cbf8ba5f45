import { addMember, addPerson, signInQuickly } from "../support/people.js";
import { accessible, awake, expect, open, shots, test } from "../support/test.js";

/** Loads the demonstration and signs a lead in. */
async function demonstration(page, server) {
  server.command("demo");
  addPerson(server, "lea");
  addMember(server, "lea", "demo", "lead");
  await signInQuickly(page, server, "lea");
}

/** Opens the expected answers of the demonstration's training source. */
async function expectedAnswers(page, server) {
  await page.goto(`${server.url}s/demo/training`);
  await page.getByRole("link", { name: "Expected answers of training-lighthouse" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Expected answers");
}

test("all expected answers are saved at once or refused in view, and all input is kept", async ({ page, server }) => {
  await demonstration(page, server);
  await expectedAnswers(page, server);
  await awake(page);
  const rating = (number) => page.getByLabel(`Rating of output ${number}`);
  await rating(1).fill("31");
  await rating(3).fill("33");
  await page.getByLabel("Explanation for output 3").fill("It leaves the reason out.");

  // With a rating off the scale, nothing is sent, and the field shows the reason.
  await rating(2).fill("320");
  await page.getByRole("button", { name: "Save all" }).click();
  await expect(rating(2)).toBeFocused();
  expect(await rating(2).evaluate((field) => field.validity.rangeOverflow)).toBe(true);

  // What is sent all the same, the server refuses.
  await page.locator("form.expected-form").evaluate((form) => (form.noValidate = true));
  page.ignoreErrors(/422/);
  await page.getByRole("button", { name: "Save all" }).click();
  await expect(page.getByRole("alert").filter({ hasText: "Output 2 (" })).toBeInViewport();
  page.ignoreErrors(undefined);
  for (const [at, value] of ["31", "320", "33"].entries()) await expect(rating(at + 1)).toHaveValue(value);
  await rating(2).fill("32");
  await accessible(page);
  await shots(page, "expected-answers");

  await page.getByRole("button", { name: "Save all" }).click();
  await expect(page.getByText("3 expected answers have been saved.")).toBeVisible();
  for (const [at, value] of ["31", "32", "33"].entries()) await expect(rating(at + 1)).toHaveValue(value);
  await expect(page.getByLabel("Explanation for output 3")).toHaveValue("It leaves the reason out.");
});

/**
 * Types into one form of a page, saves another form, and checks that the input is still there;
 * discarding the input restores the saved values.
 */
async function survives(page, server, path, type, save, check) {
  await open(page, server, path);
  await type();
  await save();
  await expect(page.locator("main > .note")).toBeVisible();
  await awake(page);
  await check(true);
  const note = page.getByText("Not saved yet: we kept what you typed here.");
  await expect(note).toHaveCount(1);
  // Go to another page and back.
  await open(page, server, "/s/demo/export");
  await open(page, server, path);
  await check(true);
  await note.getByRole("button", { name: "Discard" }).click();
  await check(false);
  await expect(note).toHaveCount(0);
  await page.reload();
  await awake(page);
  await check(false);
}

/** Members: changing one role keeps unsaved choices elsewhere. */
async function changeRole(page, server) {
  for (const name of ["ann", "ben"]) {
    addPerson(server, name);
    addMember(server, name, "demo", "annotator");
  }
  const role = page.getByLabel("Role of ann");
  await survives(
    page,
    server,
    "/s/demo/members",
    async () => {
      await role.selectOption("researcher");
      await page.getByLabel("Role of ben").selectOption("researcher");
    },
    () => page.getByRole("row", { name: /^ben/ }).getByRole("button", { name: "Change" }).click(),
    async (kept) => {
      await expect(role).toHaveValue(kept ? "researcher" : "annotator");
      await expect(page.getByLabel("Role of ben")).toHaveValue("researcher");
    },
  );
}

/** Reading: making a link keeps an unsaved set-up. */
async function makeLink(page, server) {
  const code = page.getByLabel("Completion code");
  let drawn;
  await survives(
    page,
    server,
    "/s/demo/reading",
    async () => {
      drawn = await code.inputValue();
      await code.fill("TYPED");
    },
    () => page.getByRole("button", { name: "Make a link" }).click(),
    async (kept) => expect(code).toHaveValue(kept ? "TYPED" : drawn),
  );
}

/** A passage: saving the purpose keeps an unsaved question. */
async function savePurpose(page, server) {
  const headers = { accept: "application/json" };
  const taken = await page.request.post(`${server.url}api/take-sources`, { form: { slug: "demo" }, headers });
  expect(taken.ok(), await taken.text()).toBe(true);
  await open(page, server, "/s/demo/reading/passages");
  await page
    .getByRole("link", { name: /bridge/ })
    .first()
    .click();
  await expect(page.getByRole("heading", { level: 1 })).toContainText("bridge");
  const path = new URL(page.url()).pathname;
  const words = page.locator("form").filter({ hasText: "Add the question" }).getByLabel("Question");
  await survives(
    page,
    server,
    path,
    async () => {
      await page.getByText("Add a question").click();
      await words.fill("Who paid for it?");
      await page.getByLabel("Purpose", { exact: true }).selectOption("practice");
    },
    () => page.getByRole("button", { name: "Save the purpose" }).click(),
    async (kept) => expect(words).toHaveValue(kept ? "Who paid for it?" : ""),
  );
}

/** Settings: saving one page keeps unsaved input on another, and leaving asks for confirmation. */
async function leaveSettings(page, server) {
  const accept = (dialog) => dialog.accept();
  page.on("dialog", accept);
  const guidelines = page.getByLabel("Guidelines", { exact: true });
  await open(page, server, "/s/demo/settings/texts");
  const drawn = await guidelines.inputValue();
  await guidelines.fill("# Be fair");
  await page.getByRole("link", { name: "Quality control", exact: true }).click();
  await awake(page);
  await page.getByLabel("An unchanged copy").fill("7");
  await page.getByRole("button", { name: "Save quality control" }).click();
  await expect(page.getByText("The quality-control items have been saved")).toBeVisible();
  await open(page, server, "/s/demo/settings/texts");
  await expect(guidelines).toHaveValue("# Be fair");
  await page.getByRole("button", { name: "Discard" }).click();
  await expect(guidelines).toHaveValue(drawn);
  page.off("dialog", accept);

  await guidelines.pressSequentially("More. ");
  const asked = new Promise((said) => page.once("dialog", (dialog) => dialog.accept().then(() => said(dialog.type()))));
  await page.getByRole("link", { name: "Overview", exact: true }).click();
  expect(await asked).toBe("beforeunload");
  await expect(page).toHaveURL(/\/s\/demo$/);
}

test("saving one form of a page keeps unsaved input in the others", async ({ page, server }) => {
  await demonstration(page, server);
  await changeRole(page, server);
  await makeLink(page, server);
  await savePurpose(page, server);
  await leaveSettings(page, server);
});
