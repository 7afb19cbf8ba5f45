import { password, signInQuickly } from "../support/people.js";
import { accessible, expect, notReached, shots, test } from "../support/test.js";
import { begin, ready, rows, saved, shown, step, study, type } from "../support/work.js";

const mark = (page) => page.locator(".save-mark");
const twice = (page) => page.getByRole("heading", { name: "Answered in two places" });

test("answers entered offline are sent once the network is back, also after a reload", async ({
  page,
  server,
  context,
}) => {
  study(server, { many: 24 });
  await begin(page, server);
  await step(page, "Rank & rate");
  await type(rows(page).nth(0), 11);
  await saved(page);
  await page.evaluate(() => navigator.serviceWorker.ready);
  await expect
    .poll(() => page.evaluate(async () => (await (await caches.open("pages-1")).keys()).length))
    .toBeGreaterThan(0);
  await expect
    .poll(() => page.evaluate(async () => (await (await caches.open("files-1")).keys()).length))
    .toBeGreaterThanOrEqual(3);

  page.ignoreErrors(notReached);
  await context.setOffline(true);
  await expect(mark(page)).toHaveText("Offline");
  const expected = (await shown(page)).map(({ score }) => score);
  const enter = async (at, score) => {
    await type(rows(page).nth(at), score);
    expected[at] = String(score);
  };
  for (let at = 1; at < 20; at++) await enter(at, 20 + at);
  for (let at = 0; at < 11; at++) await enter(at % 5, 50 + at);
  await expect(mark(page)).toHaveText("Offline: 30 changes waiting");
  const entered = await shown(page);
  expect(entered.map(({ score }) => score)).toEqual(expected);

  await page.reload();
  await ready(page);
  await expect(mark(page)).toHaveText("Offline: 30 changes waiting");
  expect(await shown(page)).toEqual(entered);

  await context.setOffline(false);
  await saved(page);
  const other = await (await context.browser().newContext()).newPage();
  await signInQuickly(other, server, "annotator 1");
  await other.goto(page.url());
  await ready(other);
  expect(await shown(other)).toEqual(entered);

  // Signing out sends what still waits; where the server takes nothing, the person chooses.
  const saves = "**/work/save-changes/**";
  page.ignoreErrors(/503/);
  await page.route(saves, (route) => route.fulfill({ status: 503, json: { unavailable: "The disk is full." } }));
  await type(rows(page).nth(0), 99);
  await expect(mark(page)).toHaveText("Cannot save: 1 waiting");
  const source = page.url();
  await page.goto(`${server.url}account`);
  const signOut = page.getByRole("button", { name: "Sign out", exact: true });
  const asked = new Promise((said) =>
    page.once("dialog", (dialog) => dialog.dismiss().then(() => said(dialog.message()))),
  );
  await signOut.click();
  expect(await asked).toContain("1 of your answers has not reached the server.");
  await expect(signOut).toBeVisible();
  const histories = () =>
    page.evaluate(() => Object.keys(sessionStorage).filter((name) => name.startsWith("rankrate/history/")));
  expect(await histories()).toHaveLength(1);
  await page.unroute(saves);
  await signOut.click();
  await expect(page.getByRole("link", { name: "Sign in" }).first()).toBeVisible();
  page.ignoreErrors(undefined);
  expect(await histories()).toEqual([]);
  await other.goto(source);
  await ready(other);
  expect((await shown(other))[0].score).toBe("99");
});

test("what is being typed stays while other answers are saved and when the page is left", async ({ page, server }) => {
  study(server, { many: 2 });
  await page.addInitScript(() => {
    const { storage } = navigator;
    if (!storage) return;
    storage.persisted = async () => false;
    storage.persist = async () => {
      localStorage.setItem("asked", String(Number(localStorage.getItem("asked")) + 1));
      return false;
    };
  });
  await begin(page, server);
  // The browser is asked once to keep what it stores.
  const asked = () => page.evaluate(() => localStorage.getItem("asked"));
  await expect.poll(asked).toBe("1");
  await step(page, "Rank & rate");
  let release;
  const typed = new Promise((done) => {
    release = done;
  });
  await page.route("**/work/save-changes/**", async (route) => {
    await typed;
    await route.continue();
  });
  await type(rows(page).first(), 70);
  await rows(page).first().locator(".handle").press("n");
  await page.keyboard.type("3 sentences");
  release();
  await saved(page);
  // Hot keys never fire while a person types.
  const before = await shown(page);
  await page.keyboard.type(", s 1 2 3 j k ? n");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(page.getByRole("textbox", { name: "Note" })).toHaveValue("3 sentences, s 1 2 3 j k ? n");
  await page.keyboard.press("Escape");
  expect(await shown(page)).toEqual(before);
  await saved(page);

  const field = rows(page).nth(1).locator(".num");
  await field.fill("64");
  // The browser asks first, which gives the page the time to store it.
  const warned = new Promise((said) =>
    page.once("dialog", (dialog) => dialog.accept().then(() => said(dialog.type()))),
  );
  await page.reload();
  expect(await warned).toBe("beforeunload");
  await ready(page);
  await expect(rows(page).nth(1).locator(".num")).toHaveValue("64");
  expect(await asked()).toBe("1");
});

test("answers survive a server that cannot save and one that is killed, and submitted ones can be changed", async ({
  page,
  server,
}) => {
  study(server, { many: 24 });
  await begin(page, server);
  await step(page, "Rank & rate");
  const saves = "**/work/save-changes/**";
  const unavailable = { unavailable: "The disk that holds the database is full." };
  page.ignoreErrors(/503/);
  await page.route(saves, (route) => route.fulfill({ status: 503, json: unavailable }));
  await type(rows(page).nth(0), 11);
  await expect(mark(page)).toHaveText("Cannot save: 1 waiting");
  await expect(mark(page)).toHaveAttribute("title", /kept on this device/);
  await accessible(page);
  await shots(page, "work-server-failing");
  await page.unroute(saves);
  await saved(page);
  await page.reload();
  await ready(page);
  page.ignoreErrors(undefined);
  expect((await shown(page))[0].score).toBe("11");

  // Those shown as saved survive a killed server.
  await step(page, "Rank & rate");
  const count = await rows(page).count();
  let dies;
  page.ignoreErrors(notReached);
  for (let at = 0; at < count; at++) {
    if (at === 12) dies = server.stop("SIGKILL");
    await type(rows(page).nth(at), 30 + at);
  }
  await dies;
  await expect(mark(page)).toHaveText(/^Offline: \d+ changes? waiting$/);
  const entered = await shown(page);
  await server.start();
  await expect(mark(page)).toHaveText("All changes saved", { timeout: 45_000 });
  await server.stop("SIGKILL");
  await server.start();
  await page.reload();
  await ready(page);
  expect(await shown(page)).toEqual(entered);

  page.ignoreErrors(undefined);
  const here = page.url();
  await page.getByRole("button", { name: "Submit" }).click();
  await expect(page).toHaveURL(/\/s\/river\/work$/);
  await page.goto(here);
  await ready(page);
  await expect(page.getByText("You have submitted this source.")).toBeVisible();
  await expect(page.getByRole("slider").first()).toBeDisabled();
  await page.getByRole("button", { name: "Change my answers" }).click();
  await expect(page.getByRole("slider").first()).toBeEnabled();
});

test("answers are undone across steps, two tabs show the same ones, and two devices that differ both", async ({
  page,
  server,
  context,
  browser,
}) => {
  study(server);
  await begin(page, server);
  await page.locator(".chip").first().focus();
  await page.keyboard.press("3");
  await step(page, "Rank & rate");
  await type(rows(page).first(), 70);
  await type(rows(page).first(), 71);
  await saved(page);
  await page.reload();
  await ready(page);
  await page.keyboard.press("Control+z");
  await expect(rows(page).first().locator(".num")).toHaveValue("70");
  await page.keyboard.press("Control+z");
  await expect(rows(page).first().locator(".num")).toHaveValue("");
  await page.keyboard.press("Control+z");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Categorise");
  await expect(page.getByText(/moved by you/)).toHaveCount(0);
  await page.keyboard.press("Control+Shift+z");
  await page.keyboard.press("Control+Shift+z");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Rank & rate");
  await saved(page);
  await page.reload();
  await ready(page);
  expect((await shown(page)).filter(({ score }) => score === "70")).toHaveLength(1);

  // Two tabs, one of which sends for both.
  const second = await context.newPage();
  await second.goto(page.url());
  await ready(second);
  await type(rows(page).first(), 64);
  await expect(rows(second).first().locator(".num")).toHaveValue("64");
  await type(rows(second).first(), 65);
  await expect(rows(page).first().locator(".num")).toHaveValue("65");
  await saved(page);
  await saved(second);
  await expect(twice(page)).toHaveCount(0);

  // Two devices.
  const device = await (await browser.newContext()).newPage();
  await signInQuickly(device, server, "annotator 1");
  await device.goto(page.url());
  await ready(device);
  await type(rows(page).first(), 40);
  await saved(page);
  await type(rows(device).first(), 90);
  await expect(twice(device)).toBeVisible();
  await expect(rows(device).first().locator(".num")).toHaveValue("40");
  await device.getByRole("button", { name: "Submit" }).click();
  await expect(device.getByRole("dialog")).toContainText("choose one answer");
  await device.keyboard.press("Escape");
  await device.reload();
  await ready(device);
  await device.getByRole("button", { name: "Keep 90" }).click();
  await saved(device);
  await expect(twice(device)).toHaveCount(0);
  await page.reload();
  await ready(page);
  await expect(rows(page).first().locator(".num")).toHaveValue("90");
});

test("answers are kept after signing out, and nobody else sends them", async ({ page, server, context }) => {
  study(server, { annotators: ["annotator 1", "annotator 2"] });
  await begin(page, server);
  await step(page, "Rank & rate");
  await saved(page);
  const here = page.url();
  page.ignoreErrors(/401/);
  await context.clearCookies();
  await type(rows(page).first(), 58);
  await expect(mark(page)).toHaveText("Signed out: 1 change waiting, sign in again");

  await signInQuickly(page, server, "annotator 2");
  await page.evaluate(() => dispatchEvent(new Event("focus")));
  await expect(mark(page)).toHaveText("Signed out: 1 change waiting, sign in again");

  await context.clearCookies();
  await mark(page).getByRole("link").click();
  await page.getByLabel("Name", { exact: true }).fill("annotator 1");
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("main").getByRole("button", { name: "Sign in" }).click();
  await expect(page).toHaveURL(here);
  await ready(page);
  page.ignoreErrors(undefined);
  await saved(page);
  await expect(rows(page).first().locator(".num")).toHaveValue("58");
});
