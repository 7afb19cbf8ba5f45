import { addMember, addPerson, signIn } from "../support/people.js";
import { accessible, expect, notReached, open, test } from "../support/test.js";
import { begin, ready, rows, saved, step, study, type } from "../support/work.js";

const names = ["annotator 1", "annotator 2"];

/** Rates every row and hands the source in. */
async function judge(page, scores) {
  const address = page.url();
  await step(page, "Rank & rate");
  const count = await rows(page).count();
  for (let at = 0; at < count; at++) await type(rows(page).nth(at), scores(at));
  await saved(page);
  await page.getByRole("button", { name: "Submit" }).click();
  await expect(page).not.toHaveURL(address);
}

test("a lead's panels update while annotators rate, and recover when the server is restarted", async ({
  page,
  server,
  browser,
}) => {
  study(server, { annotators: names, overlap: 2, sources: 3 });
  addPerson(server, "a lead");
  addMember(server, "a lead", "river", "lead");
  await signIn(page, server, "a lead");
  await open(page, server, "/s/river/agreement");
  const sign = page.locator(".live-sign");
  await expect(sign).toHaveText("Live");
  await expect(page.getByRole("heading", { name: "No ratings yet" })).toBeVisible();
  // A mark on the page that a reload would wipe out.
  await page.evaluate(() => (document.body.dataset.sameDocument = "yes"));

  const annotators = [];
  for (const name of names) {
    const one = await (await browser.newContext()).newPage();
    await begin(one, server, name);
    annotators.push(one);
  }
  await judge(annotators[0], (at) => 10 + 9 * at);
  const ratings = page.locator(".facts div", { hasText: "Ratings" }).locator("dd");
  await expect(ratings).toHaveText("7");
  await expect(page.locator(".big").first()).toHaveText("undefined");
  await judge(annotators[1], (at) => 20 + 8 * at);
  await expect(ratings).toHaveText("14");
  const alpha = page.locator(".big").first();
  await expect(alpha).toHaveText(/^[01]\.\d{3}$/);

  // An open table stays open, and a focused mark keeps the focus.
  const table = page.locator("figure.chart details").first();
  await table.locator("summary").click();
  await page.locator(".chart .mark").first().focus();
  page.ignoreErrors(notReached);
  await server.stop();
  await expect(sign).toHaveText("Not connected: trying again");
  await server.start();
  await expect(sign).toHaveText("Live", { timeout: 60000 });
  await annotators[0].reload();
  await ready(annotators[0]);
  await judge(annotators[0], (at) => 15 + 10 * at);
  await expect(ratings).toHaveText("21");
  page.ignoreErrors(undefined);
  await expect(table).toHaveAttribute("open", "");
  await expect(page.locator(".chart .mark:focus")).toHaveCount(1);
  expect(await page.evaluate(() => document.body.dataset.sameDocument)).toBe("yes");
  await accessible(page);
});
