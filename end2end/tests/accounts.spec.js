import { addPerson, fillIn, password, signIn, signInQuickly } from "../support/people.js";
import { accessible, awake, expect, open, shots, test } from "../support/test.js";

test("the link that the server prints creates the first administrator, once", async ({ page, server }) => {
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

  page.ignoreErrors(/410/);
  const again = await open(page, server, link);
  expect(again.status()).toBe(410);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("This link does not work");
  page.ignoreErrors(undefined);
  await accessible(page);
  await server.stop();
  await server.start();
  expect(server.out).not.toContain("/welcome/");
});

test.describe("with a session that lasts six hours", () => {
  test.use({ flags: ["--session-lifetime", "6h"] });

  test("a person signs in and out, and the back button then shows nothing of the account", async ({
    page,
    server,
    browser,
  }) => {
    for (const name of ["annotator 1", "annotator 2"]) addPerson(server, name);
    await open(page, server, "/account");
    await expect(page).toHaveURL(/\/login\?next=/);
    await accessible(page);
    await shots(page, "login");
    page.ignoreErrors(/422/);
    await fillIn(page, "annotator 1", "not the password");
    await expect(page.getByRole("alert")).toContainText("The name or the password is wrong.");
    page.ignoreErrors(undefined);
    await fillIn(page, "Annotator 1");
    await expect(page).toHaveURL(/\/account$/);
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("annotator 1");
    const session = (await page.context().cookies()).find(({ name }) => name === "session");
    expect(Math.abs(session.expires - Date.now() / 1000 - 6 * 3600)).toBeLessThan(60);

    const plain = await (await browser.newContext({ javaScriptEnabled: false })).newPage();
    await signInQuickly(plain, server, "annotator 1");
    await plain.goto(`${server.url}account`);
    for (const one of [page, plain]) {
      await expect(one.getByRole("heading", { level: 1 })).toHaveText("annotator 1");
      await one.getByRole("button", { name: "Sign out", exact: true }).click();
      await expect(one.getByRole("link", { name: "Sign in" }).first()).toBeVisible();
      await one.goBack();
      await expect(one).toHaveURL(/\/login/);
      await expect(one.getByText("annotator 1")).toHaveCount(0);
    }

    // After five wrong passwords a person has to wait, and sees how long.
    await open(page, server, "/login");
    const form = { name: "annotator 2", password: "wrong", next: "" };
    const headers = { accept: "application/json" };
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      const answer = await page.request.post(`${server.url}api/log-in`, { form, headers });
      expect(answer.status()).toBe(422);
    }
    page.ignoreErrors(/429/);
    await fillIn(page, "annotator 2");
    await expect(page.getByRole("alert")).toContainText("Try again in 15 minutes, or sign in on a device");
    await accessible(page);
    await shots(page, "login-wait");
  });
});

test("a password is changed, and an administrator adds and closes accounts", async ({ page, server, browser }) => {
  addPerson(server, "admin 1", "--admin");
  await signIn(page, server, "admin 1");
  await open(page, server, "/account");
  await accessible(page);
  await shots(page, "account");
  page.ignoreErrors(/422/);
  for (const [current, sentence] of [
    ["not the password", "The current password is not correct."],
    [password, "Your password has been changed."],
  ]) {
    await page.getByLabel("Current password").fill(current);
    await page.getByLabel("New password").fill("battery staple");
    await page.getByRole("button", { name: "Change password" }).click();
    await expect(page.getByText(sentence)).toBeVisible();
  }
  page.ignoreErrors(undefined);
  await awake(page);

  await open(page, server, "/people");
  await page.getByLabel("Name").fill("annotator 1");
  await page.getByRole("button", { name: "Add" }).click();
  const shown = page.getByRole("status").getByRole("link");
  await expect(shown).toHaveText(/\/welcome\//);
  await awake(page);
  await accessible(page);
  await shots(page, "people");
  const their = await (await browser.newContext()).newPage();
  await their.goto(await shown.getAttribute("href"));
  await awake(their);
  await their.getByLabel("Password", { exact: true }).fill(password);
  await their.getByRole("button", { name: "Set password and sign in" }).click();
  await expect(their.getByRole("heading", { level: 1 })).toHaveText("Your studies");
  for (const [button, sentence] of [
    ["Deactivate for annotator 1", "The account of annotator 1 has been deactivated."],
    ["Reactivate for annotator 1", "The account of annotator 1 is active again."],
    ["Make administrator for annotator 1", "annotator 1 is now an administrator."],
  ]) {
    await page.getByRole("button", { name: button }).click();
    await expect(page.getByText(sentence)).toBeVisible();
    await awake(page);
  }
  await page.getByRole("button", { name: "Link for a new password for annotator 1" }).click();
  await expect(shown).toHaveText(/\/welcome\//);
  await page.reload();
  await expect(shown).toHaveCount(0);
});
