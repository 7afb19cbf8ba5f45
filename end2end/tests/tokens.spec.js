import { addPerson, signInQuickly } from "../support/people.js";
import { accessible, awake, expect, light, open, shots, test } from "../support/test.js";

test("a lead makes a token, a program uses it as the page of the API says, and it is revoked", async ({
  page,
  server,
  request,
}) => {
  server.command("demo", "--no-metrics");
  addPerson(server, "lea", "--admin");
  await signInQuickly(page, server, "lea");
  await open(page, server, "/account");
  await page.getByLabel("Name of the new token").fill("notebook");
  await page.getByRole("checkbox", { name: "All your studies" }).check();
  await page.getByRole("button", { name: "Make a token" }).click();
  await expect(page.getByText("This is the only time the token “notebook” is shown.")).toBeVisible();
  const secret = (await page.locator("body").innerText()).match(/rankrate_[\w-]+/)[0];
  await accessible(page);
  await shots(page, "account-token");

  // A cookie alone opens nothing there, and the token opens it without one.
  const api = `${server.url.replace(/\/$/, "")}/api/v1`;
  const refused = await page.request.get(`${api}/studies`);
  expect(refused.status()).toBe(401);
  expect(refused.headers()["content-type"]).toBe("application/problem+json");
  const ask = () => request.get(`${api}/studies`, { headers: { Authorization: `Bearer ${secret}` } });
  const answer = await ask();
  expect(answer.status()).toBe(200);
  expect(JSON.stringify(await answer.json())).toContain('"demo"');

  await open(page, server, "/account");
  await expect(page.getByText(secret)).toHaveCount(0);
  const row = page.locator("tr", { hasText: "notebook" });
  await expect(row).not.toContainText("never");
  await row.getByRole("button", { name: "Revoke" }).click();
  await expect(row).toHaveCount(0);
  await awake(page);
  expect((await ask()).status()).toBe(401);

  // The page of the API describes each request.
  await open(page, server, "/api");
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await page.getByRole("link", { name: "GET /studies/{study}/ratings" }).click();
  await expect(page.getByRole("heading", { name: "GET /studies/{study}/ratings" })).toBeInViewport();
  await expect(page.getByText("curl", { exact: false }).first()).toBeVisible();
  await light(page);
  await accessible(page);
  await shots(page, "api");
});
