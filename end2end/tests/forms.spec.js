import { addPerson, fillIn, password, signInQuickly } from "../support/people.js";
import { awake, expect, notReached, open, test } from "../support/test.js";

test("a form says what went wrong, keeps what was typed, and is sent once", async ({ page, server, context }) => {
  addPerson(server, "annotator 1");
  await open(page, server, "/login");
  const form = page.getByRole("form", { name: "Sign in" });
  const button = form.getByRole("button", { name: "Sign in" });
  const [name, secret] = ["Name", "Password"].map((label) => page.getByLabel(label, { exact: true }));
  page.ignoreErrors(notReached);
  await context.setOffline(true);
  await fillIn(page, "annotator 1", "not the password");
  await expect(page.getByRole("alert")).toContainText("The server cannot be reached.");
  await expect(name).toHaveValue("annotator 1");
  await context.setOffline(false);

  // The refusal has the focus, the typed text is still there, and the form can be sent again.
  page.ignoreErrors(/422/);
  await secret.press("Enter");
  const refusal = page.getByRole("alert").getByText("The name or the password is wrong.");
  await expect(refusal).toBeFocused();
  page.ignoreErrors(undefined);
  await expect(name).toHaveValue("annotator 1");
  await expect(secret).toHaveValue("not the password");
  await expect(button).not.toHaveAttribute("aria-disabled");

  // However often its button is pressed, it is sent once.
  let sent = 0;
  let release;
  const held = new Promise((done) => (release = done));
  await page.route("**/api/log-in", async (route) => {
    sent += 1;
    await held;
    await route.continue();
  });
  await secret.fill(password);
  await button.click();
  await expect(form).toHaveAttribute("aria-busy", "true");
  await expect(button).toHaveAttribute("aria-disabled", "true");
  await expect(button).toBeFocused();
  await button.press("Enter");
  await button.press("Enter");
  release();
  await expect(page.getByRole("button", { name: "Sign out" })).toBeVisible();
  expect(sent).toBe(1);
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
  // The preview is as annotators see it: without scripts.
  const text = "Rate *short* texts.<script>alert(1)</script><img src=x onerror=alert(1)>";
  await page.getByLabel("Information sheet", { exact: true }).fill(text);
  await page.getByRole("button", { name: "Preview" }).nth(1).click();
  const shown = page.getByRole("region", { name: "The information sheet as annotators see it" });
  await expect(shown.locator("em")).toHaveText("short");
  await expect(shown.locator("script, img")).toHaveCount(0);
  const close = page.getByRole("button", { name: "Close preview" });
  await expect(close).toHaveAttribute("aria-expanded", "true");
  await close.click();
  await expect(shown).toHaveCount(0);
});
