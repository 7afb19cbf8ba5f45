import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { addMember, addPerson, password, settled, signInQuickly } from "../support/people.js";
import { accessible, awake, expect, open, shots, test } from "../support/test.js";

/** Lets all sessions look as if the password was typed an hour ago. */
function forgetConfirmations(server) {
  const script = [
    "import sqlite3, sys",
    "database = sqlite3.connect(sys.argv[1], timeout=20)",
    "database.execute('UPDATE session SET confirmed_at = confirmed_at - 3600000')",
    "database.commit()",
  ].join("\n");
  execFileSync("python3", ["-c", script, join(server.data, "rankrate.sqlite")]);
}

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? "with JavaScript" : "without JavaScript", () => {
    test.use({ javaScriptEnabled });

    test("the password is asked for again before rights change", async ({ page, server }) => {
      page.ignoreErrors(/422/);
      addPerson(server, "admin 1", "--admin");
      await signInQuickly(page, server, "admin 1");
      forgetConfirmations(server);
      await page.goto(`${server.url}people`);
      await settled(page, javaScriptEnabled);
      await page.getByLabel("Name").fill("annotator 1");
      await page.getByRole("button", { name: "Add" }).click();
      const title = page.getByRole("heading", { level: 1 });
      await expect(title).toHaveText("Enter your password to continue");
      await settled(page, javaScriptEnabled);
      if (javaScriptEnabled) {
        await accessible(page);
        await shots(page, "confirm");
      }
      await page.getByLabel("Password", { exact: true }).fill("not the password");
      await page.getByRole("button", { name: "Continue" }).click();
      await expect(page.getByText("The current password is not correct.")).toBeVisible();
      await settled(page, javaScriptEnabled);
      await page.getByLabel("Password", { exact: true }).fill(password);
      await page.getByRole("button", { name: "Continue" }).click();
      await expect(page).toHaveURL(/\/people$/);
      await settled(page, javaScriptEnabled);
      await expect(page.getByText("Nothing has been changed yet: press the button again.")).toBeVisible();
      // Scripts keep what was typed.
      if (javaScriptEnabled) await expect(page.getByLabel("Name")).toHaveValue("annotator 1");
      else await page.getByLabel("Name").fill("annotator 1");
      await page.getByRole("button", { name: "Add" }).click();
      await expect(page.getByRole("status").getByRole("link")).toHaveText(/\/welcome\//);
    });
  });
}

test("what was ticked for an erasure is kept when the password is asked for, also after Cancel", async ({
  page,
  server,
}) => {
  addPerson(server, "annotator 1");
  await signInQuickly(page, server, "annotator 1");
  forgetConfirmations(server);
  await open(page, server, "/account/erase");
  await awake(page);
  const title = page.getByRole("heading", { level: 1 });
  const ratings = page.getByRole("checkbox", { name: /Also erase all ratings/ });
  await ratings.check();
  await page.getByLabel("Type “annotator 1” to confirm").fill("annotator 1");
  await page.getByRole("button", { name: "Erase the account" }).click();
  await expect(title).toHaveText("Enter your password to continue");
  await awake(page);
  await page.getByRole("link", { name: "Cancel" }).click();
  await expect(title).toHaveText("Erase your account?");
  await awake(page);
  await expect(ratings).toBeChecked();
  await page.getByRole("button", { name: "Erase the account" }).click();
  await expect(title).toHaveText("Enter your password to continue");
  await awake(page);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Continue" }).click();
  await expect(title).toHaveText("Erase your account?");
  await awake(page);
  await expect(ratings).toBeChecked();
});

test("a person sees where they are signed in, and signs a device out", async ({ page, server, browser }) => {
  addPerson(server, "annotator 1");
  const other = await browser.newContext({
    userAgent: "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0",
  });
  await signInQuickly(await other.newPage(), server, "annotator 1");
  await signInQuickly(page, server, "annotator 1");
  await open(page, server, "/account");
  await expect(page.getByRole("row").filter({ hasText: "this device" })).toHaveCount(1);
  await accessible(page);
  await shots(page, "account-sessions");
  await page.getByRole("button", { name: "Sign out Firefox on Windows" }).click();
  await expect(page.getByText("The device has been signed out.")).toBeVisible();
  await awake(page);
  await expect(page.getByRole("row")).toHaveCount(2);
  const elsewhere = await other.request.get(`${server.url}account`);
  expect(elsewhere.url()).toContain("/login");
  await other.close();
});

test("administrators and leads read the log of changes", async ({ page, server }) => {
  addPerson(server, "admin 1", "--admin");
  addPerson(server, "lead 1");
  server.command("study", "create", "river", "--name", "River", "--lead", "lead 1");
  addPerson(server, "annotator 1");
  addMember(server, "annotator 1", "river", "annotator");
  await signInQuickly(page, server, "admin 1");
  await open(page, server, "/people");
  await page.getByRole("link", { name: "Log of changes" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Log of changes");
  await awake(page);
  await expect(page.getByRole("row").filter({ hasText: "admin 1" }).first()).toContainText("127.0.0.1");
  await accessible(page);
  await shots(page, "audit");
  await page.getByLabel("Name of a person or thing").fill("Annotator");
  await page.getByLabel("What").selectOption("member-added");
  await page.getByRole("button", { name: "Show" }).click();
  await expect(page.getByRole("row")).toHaveCount(2);
  await page.context().clearCookies();
  await signInQuickly(page, server, "lead 1");
  await open(page, server, "/s/river/log");
  await expect(page.getByRole("cell", { name: "annotator 1" })).toBeVisible();
  await expect(page.getByText("127.0.0.1")).toHaveCount(0);
  await accessible(page);
  await shots(page, "study-log");
});

test("a study says how long it keeps personal data, and is erased", async ({ page, server }) => {
  page.ignoreErrors(/4(04|22)/);
  addPerson(server, "lead 1");
  server.command("study", "create", "river", "--name", "River", "--lead", "lead 1");
  await signInQuickly(page, server, "lead 1");
  await open(page, server, "/s/river/settings/privacy");
  await page.getByLabel("Personal data is kept").selectOption({ index: 3 });
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByRole("status").first()).toBeVisible();
  await awake(page);
  server.command("study", "close", "river");
  await open(page, server, "/s/river/settings/privacy");
  await expect(page.getByText("Personal data will be erased on")).toBeVisible();
  await shots(page, "settings-retention");
  await page.getByRole("link", { name: "Erase the study…" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Erase this study?");
  await awake(page);
  await accessible(page);
  await shots(page, "erase-study");
  const erase = page.getByRole("button", { name: "Erase the study" });
  await page.getByLabel("Type “river” to confirm").fill("lake");
  await erase.click();
  await expect(page.getByText("Nothing has been erased.")).toBeVisible();
  await awake(page);
  await page.getByLabel("Type “river” to confirm").fill("river");
  await erase.click();
  await expect(page.getByText("The study “River” has been erased.")).toBeVisible();
  const response = await page.goto(`${server.url}s/river`);
  expect(response.status()).toBe(404);
});

test("accounts are erased by an administrator and by the person", async ({ page, server, browser }) => {
  page.ignoreErrors(/422/);
  addPerson(server, "admin 1", "--admin");
  addPerson(server, "lead 1");
  addPerson(server, "annotator 1");
  server.command("study", "create", "river", "--name", "River", "--lead", "lead 1");
  addMember(server, "annotator 1", "river", "annotator");
  await signInQuickly(page, server, "admin 1");
  await open(page, server, "/people");
  await page.getByRole("row").filter({ hasText: "annotator 1" }).getByRole("link", { name: "Erase" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Erase this account?");
  await awake(page);
  await accessible(page);
  await shots(page, "erase-person");
  await page.getByLabel("Type “annotator 1” to confirm").fill("annotator 1");
  await page.getByRole("button", { name: "Erase the account" }).click();
  await expect(page.getByText("The account of annotator 1 has been erased.")).toBeVisible();
  await expect(page.getByRole("row").filter({ hasText: "annotator 1" })).toHaveCount(0);

  const other = await browser.newContext();
  const theirs = await other.newPage();
  await signInQuickly(theirs, server, "lead 1");
  await open(theirs, server, "/account/erase");
  await expect(theirs.getByText("Nobody else leads River.")).toBeVisible();
  addMember(server, "admin 1", "river", "lead");
  await open(theirs, server, "/account/erase");
  await shots(theirs, "erase-account");
  await theirs.getByLabel("Type “lead 1” to confirm").fill("Lead 1");
  await theirs.getByRole("button", { name: "Erase the account" }).click();
  await expect(theirs.getByText("Your account has been erased.")).toBeVisible();
  await other.close();
});
