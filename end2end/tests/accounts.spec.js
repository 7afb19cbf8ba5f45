import { addPerson, fillIn, password, signIn, signInQuickly } from "../support/people.js";
import { accessible, awake, expect, open, shots, test } from "../support/test.js";

test("the link that the server prints creates the first administrator, once", async ({ page, server }) => {
  page.ignoreErrors(/410/);
  await expect.poll(() => server.out).toContain("/welcome/");
  const link = new URL(server.out.match(/http:\/\/\S+\/welcome\/\S+/)[0]).pathname;
  await open(page, server, link);
  await accessible(page);
  await shots(page, "welcome");
  await page.getByLabel("Name").fill("admin 1");
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Create my account" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Your studies");
  await expect(page.getByRole("link", { name: "Accounts" })).toBeVisible();
  await accessible(page);
  await shots(page, "studies-none");

  const again = await open(page, server, link);
  expect(again.status()).toBe(410);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("This link does not work");
  await accessible(page);
  await server.stop();
  await server.start();
  expect(server.out).not.toContain("/welcome/");
});

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? "with JavaScript" : "without JavaScript", () => {
    test.use({ javaScriptEnabled });
    const ready = (page) => javaScriptEnabled && awake(page);
    const visit = async (page, server, path) => {
      await page.goto(server.url.replace(/\/$/, "") + path);
      await ready(page);
    };

    test("a person signs in, reaches the page they asked for, and signs out", async ({ page, server }) => {
      page.ignoreErrors(/422/);
      addPerson(server, "annotator 1");
      await visit(page, server, "/account");
      await expect(page).toHaveURL(/\/login\?next=/);
      await fillIn(page, "annotator 1", "not the password");
      const alert = page.getByRole("alert").filter({ hasText: "The name or the password is wrong" });
      await expect(alert).toBeVisible();
      await ready(page);
      await fillIn(page, "Annotator 1");
      await expect(page).toHaveURL(/\/account$/);
      await expect(page.getByRole("heading", { level: 1 })).toHaveText("annotator 1");

      await page.getByRole("button", { name: "Sign out" }).click();
      await expect(page.getByRole("link", { name: "Sign in" }).first()).toBeVisible();
      await visit(page, server, "/account");
      await expect(page).toHaveURL(/\/login/);
    });

    test("after signing out, the back button shows nothing of the account", async ({ page, server }) => {
      addPerson(server, "annotator 1");
      await signInQuickly(page, server, "annotator 1");
      await visit(page, server, "/account");
      await expect(page.getByRole("heading", { level: 1 })).toHaveText("annotator 1");
      await page.getByRole("button", { name: "Sign out" }).click();
      await expect(page.getByRole("link", { name: "Sign in" }).first()).toBeVisible();
      await page.goBack();
      await expect(page).toHaveURL(/\/login/);
      await expect(page.getByText("annotator 1")).toHaveCount(0);
    });

    test("a password is changed, and other devices are signed out", async ({ page, server, browser }) => {
      page.ignoreErrors(/422/);
      addPerson(server, "annotator 1");
      const other = await browser.newContext();
      await signInQuickly(await other.newPage(), server, "annotator 1");
      await signInQuickly(page, server, "annotator 1");
      await visit(page, server, "/account");
      const change = async (current, next) => {
        await page.getByLabel("Current password").fill(current);
        await page.getByLabel("New password").fill(next);
        await page.getByRole("button", { name: "Change password" }).click();
      };
      await change("not the password", "battery staple");
      await expect(page.getByText("The current password is not correct.")).toBeVisible();
      await ready(page);
      await change(password, "battery staple");
      await expect(page.getByText("Your password has been changed.")).toBeVisible();
      await ready(page);
      await expect(page.getByRole("heading", { level: 1 })).toHaveText("annotator 1");
      const elsewhere = await other.request.get(`${server.url}account`);
      expect(elsewhere.url()).toContain("/login");
      await other.close();
    });

    test("an administrator adds, resets, closes and reopens accounts", async ({ page, server, browser }) => {
      addPerson(server, "admin 1", "--admin");
      await signInQuickly(page, server, "admin 1");
      await visit(page, server, "/people");
      await page.getByLabel("Name").fill("annotator 1");
      await page.getByRole("button", { name: "Add" }).click();
      const shown = page.getByRole("status").getByRole("link");
      await expect(shown).toHaveText(/\/welcome\//);
      const link = await shown.getAttribute("href");
      await ready(page);
      await page.reload();
      await ready(page);
      await expect(shown).toHaveCount(0);

      const theirs = await browser.newContext();
      const their = await theirs.newPage();
      await their.goto(link);
      await awake(their);
      await expect(their.getByText("annotator 1")).toBeVisible();
      await their.getByLabel("Password", { exact: true }).fill(password);
      await their.getByRole("button", { name: "Set password and sign in" }).click();
      await expect(their.getByRole("heading", { level: 1 })).toHaveText("Your studies");

      await page.getByRole("button", { name: "Deactivate for annotator 1" }).click();
      await expect(page.getByText("The account of annotator 1 has been deactivated.")).toBeVisible();
      await ready(page);
      await their.goto(`${server.url}account`);
      await expect(their).toHaveURL(/\/login/);
      await page.getByRole("button", { name: "Reactivate for annotator 1" }).click();
      await expect(page.getByText("The account of annotator 1 is active again.")).toBeVisible();
      await ready(page);
      await page.getByRole("button", { name: "Make administrator for annotator 1" }).click();
      await expect(page.getByText("annotator 1 is now an administrator.")).toBeVisible();
      await ready(page);
      await page.getByRole("button", { name: "Link for a new password for annotator 1" }).click();
      await expect(shown).toHaveText(/\/welcome\//);
      await theirs.close();
    });
  });
}

test("after five wrong passwords a person has to wait, and sees how long", async ({ page, server }) => {
  page.ignoreErrors(/4(22|29)/);
  addPerson(server, "annotator 1");
  await open(page, server, "/login");
  for (let attempt = 1; attempt <= 5; attempt += 1) {
    await fillIn(page, "annotator 1", `wrong ${attempt}`);
    await expect(page.getByRole("alert")).toContainText("The name or the password is wrong.");
    await expect(page.locator("form[aria-busy=true]")).toHaveCount(0);
  }
  await fillIn(page, "annotator 1");
  await expect(page.getByRole("alert")).toContainText("Try again in 15 minutes, or sign in on a device");
  await accessible(page);
  await shots(page, "login-wait");
});

test("signing in never redirects to another site", async ({ page, server }) => {
  addPerson(server, "annotator 1");
  await open(page, server, "/login?next=//other.example/");
  await fillIn(page, "annotator 1");
  await expect(page).toHaveURL(server.url);
});

test.describe("with a session that lasts six seconds", () => {
  test.use({ flags: ["--session-lifetime", "6s"] });

  test("an idle person is signed out, an active one is not", async ({ page, server }) => {
    addPerson(server, "annotator 1");
    await signInQuickly(page, server, "annotator 1");
    for (let visit = 0; visit < 4; visit += 1) {
      await page.waitForTimeout(2_000);
      await open(page, server, "/account");
      await expect(page).toHaveURL(/\/account$/);
    }
    await page.waitForTimeout(6_500);
    await open(page, server, "/account");
    await expect(page).toHaveURL(/\/login\?next=%2Faccount$/);
  });
});

test("the account pages are accessible", async ({ page, server }) => {
  addPerson(server, "admin 1", "--admin");
  addPerson(server, "annotator 1");
  await open(page, server, "/login");
  await accessible(page);
  await shots(page, "login");
  await signIn(page, server, "admin 1");
  await open(page, server, "/account");
  await accessible(page);
  await shots(page, "account");
  await open(page, server, "/people");
  await page.getByRole("button", { name: "Link for a new password for annotator 1" }).click();
  await expect(page.getByRole("status").filter({ hasText: "Send this link" })).toBeVisible();
  await awake(page);
  await accessible(page);
  await shots(page, "people");
});
