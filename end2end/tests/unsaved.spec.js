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

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? "with JavaScript" : "without JavaScript", () => {
    test.use({ javaScriptEnabled });

    test("the expected answers of all outputs are saved at once", async ({ page, server }) => {
      await demonstration(page, server);
      await expectedAnswers(page, server);
      if (javaScriptEnabled) await awake(page);
      const rating = (number) => page.getByLabel(`Rating of output ${number}`);
      for (const [number, value] of [
        [1, "31"],
        [2, "32"],
        [3, "33"],
      ])
        await rating(number).fill(value);
      await page.getByLabel("Explanation for output 3").fill("It leaves the reason out.");

      // With a rating off the scale, nothing is sent, no input is lost, and the field shows the reason.
      await rating(2).fill("320");
      await page.getByRole("button", { name: "Save all" }).click();
      await expect(rating(2)).toHaveValue("320");
      await expect(rating(3)).toHaveValue("33");
      await expect(rating(2)).toBeFocused();
      expect(await rating(2).evaluate((field) => field.validity.rangeOverflow)).toBe(true);

      await rating(2).fill("32");
      await page.getByRole("button", { name: "Save all" }).click();
      await expect(page.getByText("3 expected answers have been saved.")).toBeVisible();
      for (const [number, value] of [
        [1, "31"],
        [2, "32"],
        [3, "33"],
      ]) {
        await expect(rating(number)).toHaveValue(value);
      }
      await expect(page.getByLabel("Explanation for output 3")).toHaveValue("It leaves the reason out.");
    });
  });
}

test("a refusal by the server is shown in view, and all input is kept", async ({ page, server }) => {
  page.ignoreErrors(/422/);
  await demonstration(page, server);
  await expectedAnswers(page, server);
  await awake(page);
  await page.locator("form.expected-form").evaluate((form) => (form.noValidate = true));
  await page.getByLabel("Rating of output 1").fill("31");
  await page.getByLabel("Rating of output 2").fill("320");
  await page.getByRole("button", { name: "Save all" }).click();
  await expect(page.getByRole("alert").filter({ hasText: "Output 2 (" })).toBeInViewport();
  await expect(page.getByLabel("Rating of output 1")).toHaveValue("31");
  await expect(page.getByLabel("Rating of output 2")).toHaveValue("320");
  await page.getByLabel("Rating of output 2").fill("32");
  await accessible(page);
  await shots(page, "expected-answers");
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

test("settings: saving one page keeps unsaved input on another", async ({ page, server }) => {
  await demonstration(page, server);
  page.on("dialog", (dialog) => dialog.accept());
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
});

test("people: changing one role keeps unsaved choices elsewhere", async ({ page, server }) => {
  await demonstration(page, server);
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
});

test("reading: making a link keeps an unsaved set-up", async ({ page, server }) => {
  await demonstration(page, server);
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
});

test("passage: saving the purpose keeps an unsaved question", async ({ page, server }) => {
  await demonstration(page, server);
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
});

test("leaving a page with unsaved input asks for confirmation", async ({ page, server }) => {
  await demonstration(page, server);
  await open(page, server, "/s/demo/settings/texts");
  await page.getByLabel("Guidelines", { exact: true }).pressSequentially("More. ");
  const asked = new Promise((said) => page.once("dialog", (dialog) => dialog.accept().then(() => said(dialog.type()))));
  await page.getByRole("link", { name: "Overview", exact: true }).click();
  expect(await asked).toBe("beforeunload");
  await expect(page).toHaveURL(/\/s\/demo$/);
});
