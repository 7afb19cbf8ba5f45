import { addMember, addPerson, signInQuickly } from "../support/people.js";
import { expect, light, open, test } from "../support/test.js";
import { begin, study } from "../support/work.js";

test("pages are light, and only the workspace loads WebAssembly", async ({ page, server }) => {
  await open(page, server, "/");
  await light(page);
  await open(page, server, "/login?next=%2Faccount");
  await light(page);
  server.command("demo");
  addPerson(server, "lea", "--admin");
  addMember(server, "lea", "demo", "lead");
  await signInQuickly(page, server, "lea");
  for (const path of ["/", "/account", "/people", "/studies/new"]) {
    await open(page, server, path);
    await light(page);
  }
  const panels = ["", "/sources", "/import", "/members", "/crowd", "/settings", "/training", "/agreement", "/quality"];
  panels.push("/systems", "/systems/edit", "/protocols", "/metrics", "/ratings", "/consensus");
  panels.push(
    "/settings/groups",
    "/settings/webhooks",
    "/reading",
    "/reading/passages",
    "/reading/analysis",
    "/export",
  );
  for (const panel of panels) {
    await open(page, server, `/s/demo${panel}`);
    await light(page);
  }

  // An annotator's home, and the workspace.
  await page.context().clearCookies();
  study(server);
  await signInQuickly(page, server, "annotator 1");
  await open(page, server, "/s/river/work");
  await light(page);
  const [wasm] = await Promise.all([page.waitForResponse(/\.wasm$/), begin(page, server)]);
  expect(wasm.ok()).toBe(true);
});
