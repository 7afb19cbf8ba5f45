import { addPerson, fillIn, password, signInQuickly } from "../support/people.js";
import { awake, expect, notReached, open, test } from "../support/test.js";

test("a form is sent once, however often its button is pressed", async ({ page, server }) => {
  addPerson(server, "annotator 1");
  await open(page, server, "/login");
  let sent = 0;
  let release;
  const held = new Promise((done) => (release = done));
  await page.route("**/api/log-in", async (route) => {
    sent += 1;
    await held;
    await route.continue();
  });
  await fillIn(page, "annotator 1");
  const form = page.getByRole("form", { name: "Sign in" });
  const button = form.getByRole("button", { name: "Sign in" });
  await expect(form).toHaveAttribute("aria-busy", "true");
  await expect(button).toHaveAttribute("aria-disabled", "true");
  await expect(button).toBeFocused();
  await button.press("Enter");
  await button.press("Enter");
  release();
  await expect(page.getByRole("button", { name: "Sign out" })).toBeVisible();
  expect(sent).toBe(1);
});

test("a refusal is focused beside what was typed, and the form can be sent again", async ({ page, server }) => {
  page.ignoreErrors(/422/);
  addPerson(server, "annotator 1");
  await open(page, server, "/login");
  await fillIn(page, "annotator 1", "not the password");
  const refusal = page.getByRole("alert").getByText("The name or the password is wrong.");
  await expect(refusal).toBeFocused();
  await expect(page.getByLabel("Name", { exact: true })).toHaveValue("annotator 1");
  await expect(page.getByLabel("Password", { exact: true })).toHaveValue("not the password");
  const button = page.getByRole("main").getByRole("button", { name: "Sign in" });
  await expect(button).not.toHaveAttribute("aria-disabled");
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByLabel("Password", { exact: true }).press("Enter");
  await expect(page.getByRole("button", { name: "Sign out" })).toBeVisible();
});

test("without a connection a form says so and keeps what was typed", async ({ page, server, context }) => {
  page.ignoreErrors(notReached);
  addPerson(server, "annotator 1");
  await open(page, server, "/login");
  await context.setOffline(true);
  await fillIn(page, "annotator 1");
  await expect(page.getByRole("alert")).toContainText("The server cannot be reached.");
  await expect(page.getByLabel("Name", { exact: true })).toHaveValue("annotator 1");
  await context.setOffline(false);
  await page.getByRole("main").getByRole("button", { name: "Sign in" }).click();
  await expect(page.getByRole("button", { name: "Sign out" })).toBeVisible();
});

test("a link is copied, and a preview is opened and closed", async ({ page, server, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  addPerson(server, "admin 1", "--admin");
  server.command("study", "create", "river", "--name", "River", "--lead", "admin 1");
  await signInQuickly(page, server, "admin 1");
  await open(page, server, "/people");
  await page.getByLabel("Name").fill("annotator 1");
  await page.getByRole("button", { name: "Add" }).click();
  const link = page.getByRole("status").getByRole("link");
  await expect(link).toBeVisible();
  await awake(page);
  await page.getByRole("button", { name: "Copy" }).click();
  await expect(page.getByText("Copied.")).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(await link.textContent());

  await open(page, server, "/s/river/settings/texts");
  await page.getByLabel("Information sheet", { exact: true }).fill("Rate *short* texts.");
  const preview = page.getByRole("button", { name: "Preview" }).nth(1);
  await preview.click();
  const shown = page.getByRole("region", { name: "The information sheet as annotators see it" });
  await expect(shown.locator("em")).toHaveText("short");
  const close = page.getByRole("button", { name: "Close preview" });
  await expect(close).toHaveAttribute("aria-expanded", "true");
  await close.click();
  await expect(shown).toHaveCount(0);
});
