import { awake, expect, open } from "./test.js";

/** The password of everybody in the tests. */
export const password = "correct horse battery";

/** Adds a person who can sign in; `flags` as of `rankrate user add`. */
export function addPerson(server, name, ...flags) {
  const add = ["user", "add", name, ...flags, "--password-stdin", "--json"];
  return JSON.parse(server.feed(`${password}\n`, ...add));
}

/** Makes a person something in a study, by the command line. */
export function addMember(server, name, study, role) {
  server.command("user", "role", name, study, role);
}

/** Signs a person in on the page to sign in on, and waits for the page after it. */
export async function signIn(page, server, name, secret = password) {
  await open(page, server, "/login");
  await fillIn(page, name, secret);
  await expect(page.getByRole("button", { name: "Sign out" })).toBeVisible();
}

/** Fills the form to sign in and sends it. */
export async function fillIn(page, name, secret = password) {
  await page.getByLabel("Name", { exact: true }).fill(name);
  await page.getByLabel("Password", { exact: true }).fill(secret);
  await page.getByRole("main").getByRole("button", { name: "Sign in" }).click();
}

/** Signs a person in without the page: by the server function, as a plain form would. */
export async function signInQuickly(page, server, name, secret = password) {
  const response = await page.request.post(`${server.url}api/log-in`, {
    form: { name, password: secret, next: "" },
    headers: { accept: "application/json" },
  });
  expect(response.ok(), await response.text()).toBe(true);
}

/** Waits for islands where there is JavaScript. */
export async function settled(page, javaScriptEnabled) {
  if (javaScriptEnabled) await awake(page);
}
