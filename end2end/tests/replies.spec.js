import { addMember, addPerson, signInQuickly } from "../support/people.js";
import { accessible, expect, notReached, open, shots, test } from "../support/test.js";
import { begin, ready, rows, saved, step, study, type } from "../support/work.js";

const note = "Is the cause still told?";

/** An annotator who has submitted a source, on a page of their own, and a lead who asks about one output of it. */
async function asked(page, server, browser, options) {
  study(server, { own: ["The ferry was withdrawn.", "The ferry stopped running."], ...options });
  const one = await (await browser.newContext()).newPage();
  await begin(one, server);
  if (!options?.layout) await step(one, "Rank & rate");
  for (const field of await one.locator("input.num").all()) {
    await field.fill("50");
    await field.press("Enter");
  }
  await saved(one);
  await submit(one);
  addPerson(server, "lea");
  addMember(server, "lea", "river", "lead");
  await signInQuickly(page, server, "lea");
  await open(page, server, "/s/river/ratings");
  const output = page.locator(".disputed > li").filter({ hasText: "stopped running" });
  await output.getByText("Ask its raters to look again…").click();
  await output.getByLabel("What should they look at?").fill(note);
  await output.getByRole("button", { name: "Ask them" }).click();
  await expect(page.getByText("The output has been returned to one rater.")).toBeVisible();
  await one.reload();
  await one.getByRole("link", { name: /The old ferry/ }).click();
  await ready(one);
  return one;
}

async function submit(page) {
  await page.getByRole("button", { name: "Submit" }).click();
  await expect(page).toHaveURL(/\/s\/river\/work$/);
}

test("an annotator replies to the lead's question, offline as well, and the lead reads it at once", async ({
  page,
  server,
  browser,
}) => {
  const one = await asked(page, server, browser);
  const reply = one.getByLabel("Your reply");
  await expect(reply).toHaveCount(1);
  await accessible(one);
  await shots(one, "reply");
  const openQuestions = page.getByRole("region", { name: "Open questions" });
  await expect(openQuestions).toContainText("annotator 1: Not submitted again yet.");

  await reply.fill("It is, at the end.");
  await one.keyboard.press("Escape");
  await saved(one);
  await expect(openQuestions).toContainText("“It is, at the end.”");
  await accessible(page);

  // By keyboard, without a network, undone and redone.
  page.ignoreErrors(notReached);
  await one.context().setOffline(true);
  await reply.focus();
  await one.keyboard.press("End");
  await one.keyboard.type(" I am sure.");
  await one.keyboard.press("Escape");
  await expect(one.locator(".save-mark")).not.toHaveText("All changes saved");
  await one.keyboard.press("Control+z");
  await expect(reply).toHaveValue("It is, at the end.");
  await one.keyboard.press("Control+Shift+z");
  await expect(reply).toHaveValue("It is, at the end. I am sure.");
  await one.context().setOffline(false);
  await saved(one);
  await type(rows(one).filter({ hasText: "stopped running" }), 77);
  await saved(one);
  await submit(one);
  page.ignoreErrors(undefined);

  await page.reload();
  const answered = page.locator(".disputed > li").filter({ hasText: "stopped running" });
  await expect(answered).toContainText(
    "annotator 1: “It is, at the end. I am sure.” Scores changed: overall from 50 to 77.",
  );
  await accessible(page);
  await shots(page, "replies");
  const line = server
    .command("export", "river", "--format", "jsonl")
    .split("\n")
    .find((line) => line.includes("I am sure"));
  expect(JSON.parse(line).replies).toEqual([
    { rater: "annotator 1", question: note, reply: "It is, at the end. I am sure." },
  ]);
});

test("a reply is written on a phone, and where outputs are compared its letters choose nothing", async ({
  page,
  server,
  browser,
}) => {
  const one = await asked(page, server, browser, { layout: "merged" });
  await one.setViewportSize({ width: 360, height: 780 });
  await expect(one.getByRole("complementary", { name: "To check again" })).toContainText("write a reply");
  const reply = one.getByLabel("Your reply");
  await reply.fill("Yes.");
  await reply.blur();
  await saved(one);
  await accessible(one);
  await one.reload();
  await ready(one);
  await expect(reply).toHaveValue("Yes.");
  await page.reload();
  await expect(page.getByText("“Yes.”")).toBeVisible();

  const form = { slug: "river", rating: "compare", together: "2", layout: "steps", outputs: "all" };
  const answer = await page.request.post(`${server.url}api/set-protocol`, { form });
  expect(answer.ok(), await answer.text()).toBe(true);
  await one.reload();
  await ready(one);
  await reply.fill("");
  await one.keyboard.type("a joke, b");
  await one.keyboard.press("Escape");
  await expect(one.getByRole("heading", { name: "Comparison 1" })).toBeFocused();
  await expect(reply).toHaveValue("a joke, b");
  await expect(one.getByRole("radio", { checked: true })).toHaveCount(0);
  await one.keyboard.press("b");
  await expect(one.getByRole("radio", { name: "B is better" })).toBeChecked();
  await saved(one);
  await submit(one);
});
