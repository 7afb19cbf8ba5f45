import { createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { addMember, addPerson, signInQuickly } from "../support/people.js";
import { test as base, accessible, awake, expect, light, open, shots } from "../support/test.js";

/** A program that receives notices. */
const test = base.extend({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the pattern, which must be written out.
  receiver: async ({}, use) => {
    const receiver = { notices: [], status: 204 };
    const http = createServer(async (request, response) => {
      let body = "";
      for await (const chunk of request) body += chunk;
      receiver.notices.push({ path: request.url, headers: request.headers, body });
      response.writeHead(receiver.status).end();
    });
    http.listen(0, "127.0.0.1");
    await once(http, "listening");
    receiver.url = `http://127.0.0.1:${http.address().port}/in/`;
    await use(receiver);
    http.closeAllConnections();
    http.close();
  },
});

const path = "/s/demo/settings/webhooks";

async function lead(page, server) {
  server.command("demo", "--no-metrics");
  addPerson(server, "lea");
  addMember(server, "lea", "demo", "lead");
  await signInQuickly(page, server, "lea");
  await open(page, server, path);
}

/** Restarts the server with settings that allow the address. */
async function allow(page, server, address) {
  await page.goto("about:blank");
  await server.stop();
  server.flags = ["--webhooks-allow", address];
  await server.start();
  await open(page, server, path);
}

/** The signature that a notice must have. */
function sign(secret, { headers, body }) {
  const key = Buffer.from(secret.replace("whsec_", ""), "base64");
  const signed = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`;
  return `v1,${createHmac("sha256", key).update(signed).digest("base64")}`;
}

test("a lead adds a webhook, tries it, and gets a notice of a closed study", async ({ page, server, receiver }) => {
  await lead(page, server);
  // Without allowed addresses the page says what to write.
  await expect(page.getByRole("main")).toContainText("Webhooks are switched off on this server");
  await expect(page.getByText('allow = ["https://hooks.example.org/studies/"]')).toBeVisible();
  await expect(page.getByRole("button", { name: "Add the webhook" })).toHaveCount(0);
  await accessible(page);
  await light(page);
  await shots(page, "webhooks-off");
  await allow(page, server, receiver.url);
  const add = page.getByRole("form", { name: "Add a webhook" });
  await add.getByLabel("Address").fill("https://hooks.example.org/");
  page.ignoreErrors(/422/);
  await add.getByRole("button").click();
  await expect(add.getByRole("alert")).toContainText(`only to addresses that begin with ${receiver.url}`);
  page.ignoreErrors(undefined);
  await add.getByLabel("Address").fill(`${receiver.url}a?key=b`);
  await add.getByLabel("a background job ended").uncheck();
  await add.getByRole("button").click();
  await expect(page.getByText("This is the only time its secret is shown")).toBeVisible();
  const secret = (await page.locator("body").innerText()).match(/whsec_[\w+/=]+/)[0];
  await accessible(page);
  await shots(page, "webhooks-secret");

  await open(page, server, path);
  await expect(page.getByText("whsec_")).toHaveCount(0);
  const hook = page.getByRole("article", { name: `${receiver.url}a?key=b` });
  await expect(hook).toContainText("Active");
  await hook.getByRole("button", { name: "Send a test notice" }).click();
  const list = page.getByRole("region", { name: "Last deliveries" });
  const row = (what) => list.getByRole("row", { name: what });
  await expect(row("Test")).toContainText("delivered (status 204)", { timeout: 15_000 });
  await expect(row("Test")).toContainText("127.0.0.1");
  expect(receiver.notices).toHaveLength(1);
  const [test] = receiver.notices;
  expect(test.path).toBe("/in/a?key=b");
  expect(test.headers["webhook-signature"]).toBe(sign(secret, test));
  expect(JSON.parse(test.body)).toMatchObject({ kind: "test", id: test.headers["webhook-id"] });

  receiver.status = 500;
  server.command("study", "close", "demo");
  await expect.poll(() => receiver.notices.length, { timeout: 15_000 }).toBeGreaterThan(1);
  await expect(async () => {
    await open(page, server, path);
    await expect(row("closed or archived")).toContainText("is tried again. It did not accept the notice (status 500)");
  }).toPass({ timeout: 15_000 });
  await accessible(page);
  await light(page);
  await shots(page, "webhooks");

  await row("Test").getByRole("button", { name: "Send again" }).click();
  await expect(row("Test")).toContainText("failed. It did not accept the notice (status 500)", { timeout: 15_000 });
  await hook.getByText("New secret").click();
  await hook.getByRole("button", { name: "Renew the secret" }).click();
  await expect(page.getByText("the old one no longer signs anything")).toBeVisible();
  await hook.getByRole("button", { name: "Pause" }).click();
  await expect(hook).toContainText("Paused since");
  await expect(row("closed or archived")).toContainText("when it is started again");
  await hook.getByRole("button", { name: "Start again" }).click();
  await expect(hook).toContainText("Active");
  await hook.getByText("Change it").click();
  await hook.getByLabel("a background job ended").check();
  await hook.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("The webhook has been saved.")).toBeVisible();
  await expect(hook.getByRole("listitem")).toHaveCount(3);
  await hook.getByText("Remove it").click();
  await hook.getByRole("button", { name: "Remove the webhook" }).click();
  await expect(page.getByText("The webhook has been removed.")).toBeVisible();
  await expect(hook).toHaveCount(0);
  await awake(page);
});
