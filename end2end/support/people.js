import { expect, open } from "./test.js";

/** The password of every account in the tests. */
export const password = "correct horse battery";

/** Adds an account; `flags` are those of `rankrate user add`. */
export function addPerson(server, name, ...flags) {
  const add = ["user", "add", name, ...flags, "--password-stdin", "--json"];
  return JSON.parse(server.feed(`${password}\n`, ...add));
}

/** Gives a person a role in a study through the command line. */
export function addMember(server, name, study, role) {
  server.command("user", "role", name, study, role);
}

/** Signs a person in on the sign-in page and waits for the next page. */
export async function signIn(page, server, name, secret = password) {
  await open(page, server, "/login");
  await fillIn(page, name, secret);
  await expect(page.getByRole("button", { name: "Sign out" })).toBeVisible();
}

/** Fills in the sign-in form and submits it. */
export async function fillIn(page, name, secret = password) {
  await page.getByLabel("Name", { exact: true }).fill(name);
  await page.getByLabel("Password", { exact: true }).fill(secret);
  await page.getByRole("main").getByRole("button", { name: "Sign in" }).click();
}

/** Signs a person in without the sign-in page: calls the server function as a plain form does. */
export async function signInQuickly(page, server, name, secret = password) {
  const response = await page.request.post(`${server.url}api/log-in`, {
    form: { name, password: secret, next: "" },
    headers: { accept: "application/json" },
  });
  expect(response.ok(), await response.text()).toBe(true);
}
