import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { addMember, addPerson, signIn } from "../support/people.js";
import { accessible, expect, light, notReached, open, shots, test } from "../support/test.js";

const FILE = `passage,title,condition,text,question,question_text,a,b,c,d
p1,The ferry,Original,"The ferry, which had crossed since dawn, stopped when the fog came in.",q1,When did it stop?,as it grew foggy,at dawn,in the evening,it never did
p1,The ferry,Original,,q2,What is it about?,a boat,a bridge,the weather forecast,a school
p1,The ferry,Original,,q3,Since when had it crossed?,the early morning,the fog,last year,noon
p2,The bridge,Original,The bridge was closed because its cables had rusted.,q1,Why was it closed?,it had become unsafe,it was too narrow,of the wind,of a race
p2,The bridge,Original,,q2,What had rusted?,what it hung on,the railing,the cars,the sign
p2,The bridge,Original,,q3,What was closed?,a way across,a shop,a cable,a port
`;

/** Creates a study with two passages and a link, with its lead on the reading page; returns the link's path. */
async function setUp(page, server) {
  server.command("study", "create", "river", "--name", "River study");
  addPerson(server, "a lead");
  addMember(server, "a lead", "river", "lead");
  await signIn(page, server, "a lead");
  await open(page, server, "/s/river/reading");
  // A link needs an information sheet for readers first.
  await page.getByLabel("Information sheet for readers").fill("You read *two* short texts.");
  await page.getByLabel("Instructions (Markdown)").fill("Answer by what the text says.");
  await page.getByLabel("Screening questions").fill("First language | English | another");
  await page.getByLabel("Completion code").fill("C0DE");
  await page.getByRole("button", { name: "Set reading comprehension up" }).click();
  await expect(page.getByText("The set-up has been saved.")).toBeVisible();
  const file = join(server.data, "texts.csv");
  writeFileSync(file, FILE);
  await page.locator("body[data-hydrated]").waitFor();
  await page.locator("#reading-file").setInputFiles(file);
  await page.getByRole("button", { name: "Upload" }).click();
  await expect(page.getByText("Read as CSV: 2 passages, 1 condition, 6 questions, 0 answers.")).toBeVisible();
  await page.locator("body[data-hydrated]").waitFor();
  await page.getByRole("button", { name: "Import" }).click();
  await expect(page.getByText("2 passages, 1 condition, 6 questions.")).toBeVisible();
  await page.locator("body[data-hydrated]").waitFor();
  await expect(page.getByText("Places left: 1. The next participant reads 2 texts.")).toBeVisible();
  await page.getByRole("button", { name: "Make a link" }).click();
  const link = page.locator("a.address");
  await expect(link).toBeVisible();
  return new URL(await link.getAttribute("href")).pathname;
}

/** Opens the link, consents and begins; the page of a text says itself when it is ready. */
async function begin(page, server, link) {
  await open(page, server, link);
  await expect(page.getByText("You will read 2 short texts")).toBeVisible();
  await expect(page.getByRole("region", { name: "Information sheet" }).locator("em")).toHaveText("two");
  await page.getByLabel("First language").selectOption("English");
  await page.getByLabel("I have read the information sheet and want to take part").check();
  await page.getByRole("button", { name: "Begin" }).click();
  await ready(page);
}

async function ready(page) {
  await page.locator("body[data-ready]").waitFor();
}

test("a participant completes a session by keyboard despite failures, and the lead's page is updated", async ({
  page,
  server,
  browser,
}) => {
  const link = await setUp(page, server);
  await expect(page.locator(".live-sign")).toHaveText("Live");
  await page.evaluate(() => (document.body.dataset.sameDocument = "yes"));

  const context = await browser.newContext();
  const reader = await context.newPage();
  await begin(reader, server, link);
  await expect(reader.getByText("Text 1 of 2")).toBeVisible();
  await accessible(reader);
  await shots(reader, "reading-text");
  const saved = reader.locator("#saved");
  const chosen = () => reader.locator("input[type=radio]:checked");
  await expect(chosen()).toHaveCount(0);
  // Values are places, which do not reveal the right answer.
  const values = await reader
    .locator("fieldset")
    .first()
    .getByRole("radio")
    .evaluateAll((all) => all.map((it) => it.value));
  expect(values).toEqual(["1", "2", "3", "4", "5"]);

  // One key answers a question and moves the focus to the next one.
  await reader.keyboard.press("1");
  await expect(saved).toHaveText("Saved");
  await expect(page.locator("#reading").getByText("participant 1")).toBeVisible();
  await expect(page.locator("#conditions + div tbody tr")).toContainText("1");
  expect(await page.evaluate(() => document.body.dataset.sameDocument)).toBe("yes");

  // Without a network the answer waits in the browser.
  page.ignoreErrors(notReached);
  await context.setOffline(true);
  await reader.keyboard.press("5");
  await expect(saved).toHaveText(/No connection/);
  await context.setOffline(false);
  await reader.reload();
  await ready(reader);
  await expect(chosen()).toHaveCount(2);
  await expect(saved).toHaveText("Saved");
  page.ignoreErrors(undefined);
  await reader.reload();
  await ready(reader);
  await expect(chosen()).toHaveCount(2);

  // A page that was requested before an answer was stored, and arrives afterwards, still shows the answer.
  let toStore;
  await reader.route("**/reading/save/*", (route) => {
    if (toStore) return route.continue();
    toStore = route;
  });
  await reader.route(reader.url(), async (route) => {
    const response = await route.fetch();
    const stored = reader.waitForResponse("**/reading/save/*");
    await toStore.continue();
    await (await stored).finished();
    // Gives the old page time to learn that the answer is stored.
    await new Promise((done) => setTimeout(done, 500));
    await route.fulfill({ response });
  });
  await reader.keyboard.press("3");
  await expect(saved).toHaveText("Saving …");
  await reader.reload();
  await ready(reader);
  await expect(chosen()).toHaveCount(3);
  await reader.unrouteAll({ behavior: "wait" });

  // A refused answer is not shown as if it were stored.
  const stored = await chosen().evaluateAll((all) => all.map((it) => it.value));
  const reasons = JSON.stringify(["This answer came too late."]);
  await reader.route("**/reading/save/*", (route) => route.fulfill({ contentType: "application/json", body: reasons }));
  await reader.locator("input[type=radio]:not(:checked)").first().check();
  await expect(saved).toHaveText("This answer came too late.");
  await reader.reload();
  await ready(reader);
  await expect.poll(() => chosen().evaluateAll((all) => all.map((it) => it.value))).toEqual(stored);
  await reader.unrouteAll({ behavior: "wait" });

  // The server is killed and restarted.
  page.ignoreErrors(notReached);
  await server.stop("SIGKILL");
  await reader.keyboard.press("2");
  await expect(saved).toHaveText(/No connection/);
  await server.start();
  await expect(saved).toHaveText("Saved", { timeout: 60_000 });

  await reader.keyboard.press("Enter");
  await expect(reader.getByText("Text 2 of 2")).toBeVisible();
  await ready(reader);
  for (const key of ["1", "2", "3"]) await reader.keyboard.press(key);
  await expect(chosen()).toHaveCount(3);
  await reader.keyboard.press("Enter");
  await expect(reader.getByRole("heading", { name: "You have read all texts" })).toBeVisible();
  await reader.locator("body[data-hydrated]").waitFor();
  await reader.getByRole("button", { name: "Finish" }).click();
  await expect(reader.getByText("C0DE")).toBeVisible();
  await accessible(reader);

  const row = page.locator("#participants + div tbody tr");
  await expect(row).toContainText("finished", { timeout: 60_000 });
  await expect(row).toContainText("2 of 2");
  page.ignoreErrors(undefined);
  await accessible(page);
  await shots(page, "reading-lead");
  await context.close();
});

/** The place of an element in the window. */
const box = (locator) => locator.evaluate((it) => it.getBoundingClientRect().toJSON());

test("the text stays in sight while its questions are answered, and missing answers are listed", async ({
  page,
  server,
  browser,
}) => {
  const link = await setUp(page, server);
  const context = await browser.newContext({ viewport: { width: 390, height: 844 } });
  const reader = await context.newPage();
  await open(reader, server, link);
  await light(reader);
  await begin(reader, server, link);
  await light(reader);
  await expect(reader.getByRole("heading", { level: 1 })).toHaveText(/^The (ferry|bridge)$/);
  await expect(reader).toHaveTitle(/^Text 1 of 2 · River study/);
  await expect(reader.getByText("The text does not support the question")).toHaveCount(1);

  // On a phone: above the questions, at most two fifths of the window, and no answer is hidden behind it.
  const text = reader.locator(".passage-text");
  const answers = reader.getByRole("radio");
  await answers.last().scrollIntoViewIfNeeded();
  await expect(text).toBeInViewport({ ratio: 1 });
  expect((await box(text)).height).toBeLessThanOrEqual(0.4 * 844 + 1);
  for (let at = (await answers.count()) - 1; at >= 0; at--) {
    await answers.nth(at).focus();
    const isSeen = () =>
      answers.nth(at).evaluate((it) => {
        const { left, top, width, height } = it.getBoundingClientRect();
        return document.elementFromPoint(left + width / 2, top + height / 2) === it;
      });
    // At first the fade between two pages covers everything.
    await expect.poll(isSeen, { message: `answer ${at} is not hidden` }).toBe(true);
  }
  await accessible(reader);
  await reader.getByText("Text", { exact: true }).click();
  await expect(reader.getByRole("region", { name: /^The/ })).toBeHidden();
  await reader.getByText("Text", { exact: true }).click();

  // On a wide screen: beside the questions.
  await reader.setViewportSize({ width: 1280, height: 720 });
  await answers.last().scrollIntoViewIfNeeded();
  await expect(text).toBeInViewport({ ratio: 1 });
  const [left, right] = [await box(text), await box(reader.locator("#questions"))];
  expect(left.right).toBeLessThan(right.left);

  // In a low window it would leave no room.
  await reader.setViewportSize({ width: 320, height: 256 });
  await answers.last().scrollIntoViewIfNeeded();
  await expect(text).not.toBeInViewport();

  // Missing answers are listed in the page, with links to the questions.
  await reader.setViewportSize({ width: 1280, height: 720 });
  await reader.reload();
  await ready(reader);
  await reader.keyboard.press("1");
  await reader.getByRole("button", { name: "Next" }).click();
  const missing = reader.locator("#missing");
  await expect(missing).toBeFocused();
  await expect(missing).toContainText("2 questions have no answer yet:");
  const invalid = reader.locator("fieldset[aria-invalid=true]");
  await expect(invalid).toHaveCount(2);
  await expect(invalid.first()).toHaveAccessibleDescription("Choose an answer.");
  await accessible(reader);
  await shots(reader, "reading-missing");

  await missing.getByRole("link").last().click();
  await expect(reader.locator("fieldset").last().getByRole("radio").first()).toBeFocused();
  await reader.keyboard.press("2");
  await expect(missing).toContainText("One question has no answer yet:");
  await expect(invalid).toHaveCount(1);
  await invalid.getByRole("radio").last().check();
  await expect(missing).toBeHidden();
  await reader.getByRole("button", { name: "Next" }).click();
  await expect(reader.getByText("Text 2 of 2")).toBeVisible();
  await context.close();
});
