import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { addMember, addPerson, password, signInQuickly } from "../support/people.js";
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

test("the password is asked for again, and what was typed or ticked is kept", async ({ page, server }) => {
  addPerson(server, "admin 1", "--admin");
  addPerson(server, "annotator 1");
  await signInQuickly(page, server, "admin 1");
  forgetConfirmations(server);
  await open(page, server, "/people");
  await page.getByLabel("Name").fill("annotator 2");
  await page.getByRole("button", { name: "Add" }).click();
  const title = page.getByRole("heading", { level: 1 });
  await expect(title).toHaveText("Enter your password to continue");
  await awake(page);
  await accessible(page);
  await shots(page, "confirm");
  await page.getByLabel("Password", { exact: true }).fill("not the password");
  page.ignoreErrors(/422/);
  await page.getByRole("button", { name: "Continue" }).click();
  await expect(page.getByText("The current password is not correct.")).toBeVisible();
  page.ignoreErrors(undefined);
  await awake(page);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Continue" }).click();
  await expect(page).toHaveURL(/\/people$/);
  await awake(page);
  await expect(page.getByText("Nothing has been changed yet: press the button again.")).toBeVisible();
  await expect(page.getByLabel("Name")).toHaveValue("annotator 2");
  await page.getByRole("button", { name: "Add" }).click();
  await expect(page.getByRole("status").getByRole("link")).toHaveText(/\/welcome\//);

  // The boxes of an erasure keep their ticks, also after Cancel.
  await page.context().clearCookies();
  await signInQuickly(page, server, "annotator 1");
  forgetConfirmations(server);
  await open(page, server, "/account/erase");
  await awake(page);
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

test("sessions, the logs of changes and what erases are accessible", async ({ page, server, browser }) => {
  addPerson(server, "admin 1", "--admin");
  addPerson(server, "lead 1");
  addPerson(server, "annotator 1");
  server.command("study", "create", "river", "--name", "River", "--lead", "lead 1");
  addMember(server, "annotator 1", "river", "annotator");
  const other = await browser.newContext({
    userAgent: "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0",
  });
  await signInQuickly(await other.newPage(), server, "admin 1");
  await signInQuickly(page, server, "admin 1");
  await open(page, server, "/account");
  await expect(page.getByRole("row").filter({ hasText: "this device" })).toHaveCount(1);
  await accessible(page);
  await shots(page, "account-sessions");
  await page.getByRole("button", { name: "Sign out Firefox on Windows" }).click();
  await expect(page.getByText("The device has been signed out.")).toBeVisible();
  const elsewhere = await other.request.get(`${server.url}account`);
  expect(elsewhere.url()).toContain("/login");
  await other.close();

  await open(page, server, "/people");
  await page.getByRole("link", { name: "Log of changes" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Log of changes");
  await awake(page);
  await accessible(page);
  await shots(page, "audit");
  await page.getByLabel("Name of a person or thing").fill("Annotator");
  await page.getByLabel("What").selectOption("member-added");
  await page.getByRole("button", { name: "Show" }).click();
  await expect(page.getByRole("row")).toHaveCount(2);
  await open(page, server, "/people");
  await page.getByRole("row").filter({ hasText: "annotator 1" }).getByRole("link", { name: "Erase" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Erase this account?");
  await awake(page);
  await accessible(page);
  await shots(page, "erase-person");

  await page.context().clearCookies();
  await signInQuickly(page, server, "lead 1");
  addMember(server, "admin 1", "river", "lead");
  await open(page, server, "/account/erase");
  await accessible(page);
  await shots(page, "erase-account");
  await open(page, server, "/s/river/log");
  await expect(page.getByRole("cell", { name: "annotator 1" })).toBeVisible();
  await expect(page.getByText("127.0.0.1")).toHaveCount(0);
  await accessible(page);
  await shots(page, "study-log");
  await open(page, server, "/s/river/settings/privacy");
  await page.getByLabel("Personal data is kept").selectOption({ index: 3 });
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByRole("status").first()).toBeVisible();
  server.command("study", "close", "river");
  await open(page, server, "/s/river/settings/privacy");
  await expect(page.getByText("Personal data will be erased on")).toBeVisible();
  await shots(page, "settings-retention");
  await page.getByRole("link", { name: "Erase the study…" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Erase this study?");
  await awake(page);
  await accessible(page);
  await shots(page, "erase-study");
  await page.getByLabel("Type “river” to confirm").fill("river");
  await page.getByRole("button", { name: "Erase the study" }).click();
  await expect(page.getByText("The study “River” has been erased.")).toBeVisible();
});
