import { addMember, addPerson, signInQuickly } from "../support/people.js";
import { accessible, expect, open, shots, test } from "../support/test.js";
import { begin, ready, saved, step, study } from "../support/work.js";

const text = "The old ferry is no longer used. It had carried wood since 1911. Then checks found rust under it.";
const field = (page) => page.getByRole("textbox", { name: "Your text" });
const figure = (page, name) =>
  page
    .locator(".written-figures > div")
    .filter({ has: page.getByText(name, { exact: true }) })
    .locator("dd");

test("a simplification is written, with its figures, and becomes a reference once", async ({ page, server }) => {
  study(server, { template: "writing", own: [] });
  await begin(page, server);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Write");
  await expect(field(page)).toBeFocused();
  await expect(page.getByText("Left to write: Your text")).toBeVisible();
  await accessible(page);
  await shots(page, "work-writing-empty");

  // What is missing is named, and leads to the field.
  await page.getByRole("button", { name: "Submit" }).click();
  const dialog = page.getByRole("dialog", { name: "Not ready to submit" });
  await expect(dialog.getByRole("listitem")).toHaveText("Your text is not written");
  await dialog.getByRole("button", { name: "Your text" }).click();
  await expect(field(page)).toBeFocused();

  await page.keyboard.type(`${text} <b>Bold</b>`);
  await expect(figure(page, "Words")).toHaveText("20");
  // Saved once the typing rests, without leaving the field.
  await expect(figure(page, "Grade level")).toHaveText(/^\d+\.\d$/);
  await expect(page.getByRole("heading", { name: "What differs from the source" })).toBeVisible();
  await expect(page.locator(".written-changes .par").first()).toBeVisible();
  await saved(page);
  await expect(field(page)).toBeFocused();
  await expect(page.getByText("Your text is written.")).toBeVisible();
  await page.reload();
  await ready(page);
  await expect(field(page)).toHaveValue(`${text} <b>Bold</b>`);

  // Changes are one action until the next pause; undo takes the last one back.
  await field(page).fill(text);
  await saved(page);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(field(page)).toHaveValue(`${text} <b>Bold</b>`);
  await page.getByRole("button", { name: "Redo" }).click();
  await expect(field(page)).toHaveValue(text);
  await expect(figure(page, "Words")).toHaveText("19");
  await expect(page.locator(".written-changes")).toContainText("checks found rust under it");
  await accessible(page);
  await shots(page, "work-writing");

  await page.keyboard.press("Control+Enter");
  await expect(page).toHaveURL(/\/s\/river\/work$/);

  const table = server.command("export", "river", "--format", "written");
  expect(table).toContain("source_id,source,rater,text,words,compression,fkgl,word_rank,recorded_at");
  expect(table).toContain(text);

  addPerson(server, "lea");
  addMember(server, "lea", "river", "lead");
  await page.context().clearCookies();
  await signInQuickly(page, server, "lea");
  await open(page, server, "/s/river/sources");
  await expect(page.getByText("1 text submitted, which the study does not have as references yet.")).toBeVisible();
  await accessible(page);
  await shots(page, "lead-written");
  await page.getByRole("button", { name: "Add 1 text as references" }).click();
  await expect(page.getByText("Imported 1 of 1 rows.")).toBeVisible({ timeout: 30_000 });
  await open(page, server, "/s/river/sources");
  await expect(page.getByText("1 text submitted; the study has all of them as references.")).toBeVisible();
  await expect(page.getByRole("button", { name: /^Add/ })).toHaveCount(0);
  expect(server.command("import", "river", "--written")).toContain("0 rows");

  await page.getByRole("link", { name: "s1" }).first().click();
  await expect(page.getByRole("heading", { name: "Written texts (1)" })).toBeVisible();
  await expect(page.getByText("References (1)")).toBeVisible();
  await accessible(page);
  await shots(page, "lead-written-source");

  // Nothing was judged, and the pages of figures say so; of the writers, there is the pace.
  for (const path of ["agreement", "systems", "quality", "export"]) {
    await open(page, server, `/s/river/${path}`);
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    await expect(page.getByText("Nothing is judged in this study")).toHaveCount(
      ["quality", "export"].includes(path) ? 0 : 1,
    );
    await accessible(page);
    await shots(page, `lead-written-${path}`);
  }
});

test("the last words are kept when the tab is closed, and a text of another device is a conflict", async ({
  page,
  server,
  browser,
}) => {
  study(server, { template: "writing", own: [] });
  await page.clock.install();
  // This tab gets no answer from the server, so that what it stored is still to be sent when the source is opened again.
  await page.route("**/work/save-changes/**", () => {});
  await begin(page, server);
  // However slow the machine is, the pause after which a text is saved does not end before the tab is closed.
  await page.clock.pauseAt(Date.now() + 10_000);
  const close = async () => {
    const asked = page.waitForEvent("dialog");
    await page.close({ runBeforeUnload: true });
    const dialog = await asked;
    expect(dialog.type()).toBe("beforeunload");
    return dialog;
  };
  await field(page).pressSequentially("The old ferry");
  await expect(page.locator(".save-mark")).toHaveText("Saving…");
  // Who stays goes on typing.
  await (await close()).dismiss();
  await page.clock.runFor(1);
  await expect(field(page)).toBeFocused();
  await page.keyboard.type(" has stopped.");
  const address = page.url();
  const dialog = await close();
  const closed = page.waitForEvent("close");
  await dialog.accept();
  await closed;

  await page.context().clock.resume();
  const again = await page.context().newPage();
  await again.goto(address);
  await ready(again);
  await expect(field(again)).toHaveValue("The old ferry has stopped.");
  await saved(again);

  // A text from another device is a conflict.
  const context = await browser.newContext({ storageState: await again.context().storageState() });
  const other = await context.newPage();
  await other.goto(address);
  await ready(other);
  await field(other).fill("From the other device.");
  await saved(other);
  await field(again).fill("From here.");
  const conflict = again.getByRole("region", { name: "Answered in two places" });
  await expect(conflict).toContainText("Your text");
  await accessible(again);
  await conflict.getByRole("button", { name: "Keep “From here.”" }).click();
  await saved(again);
  await other.reload();
  await ready(other);
  await expect(field(other)).toHaveValue("From here.");
  await context.close();

  // The preview shows the step.
  addPerson(server, "lea");
  addMember(server, "lea", "river", "lead");
  await again.context().clearCookies();
  await signInQuickly(again, server, "lea");
  await open(again, server, "/s/river/preview");
  await ready(again);
  await field(again).fill("The committee will pay people.");
  await expect(figure(again, "Grade level")).toHaveText(/^\d+\.\d$/);
  await expect(again.getByRole("link", { name: "Leave the preview" })).toBeVisible();
});

test("an output is post-edited after the scores, by keys, at phone width", async ({ page, server }) => {
  study(server, { own: ["The ferry was withdrawn because of corrosion.", "The ferry stopped."] });
  addPerson(server, "lea");
  addMember(server, "lea", "river", "lead");
  await signInQuickly(page, server, "lea");
  await open(page, server, "/s/river/settings/protocol");
  await page.getByLabel("Write a simplification").check();
  await page.getByRole("radio", { name: "the output of a system" }).check();
  await page.getByLabel("System", { exact: true }).fill("system 1");
  await page.getByLabel("Most words").fill("6");
  await page.getByRole("radio", { name: "outputs of a human system" }).check();
  await page.getByLabel("Name of the system").fill("system 1");
  await page.getByRole("radio", { name: "Rate", exact: true }).check();
  await page.getByLabel("Categorise").uncheck();
  await page.getByRole("radio", { name: "No step on words" }).check();
  page.ignoreErrors(/422/);
  await page.getByRole("button", { name: "Save the protocol" }).click();
  await expect(page.getByText(/cannot become outputs of “system 1”/)).toBeVisible();
  page.ignoreErrors(undefined);
  await page.getByLabel("Name of the system").fill("Editors");
  await accessible(page);
  await shots(page, "lead-protocol-writing");

  await page.getByLabel("Fewest words").fill("3");
  await page.getByRole("button", { name: "Save the protocol" }).click();
  await expect(page.getByText("The protocol has been saved.")).toBeVisible();
  await expect(page.getByLabel("Name of the system")).toHaveValue("Editors");
  await expect(page.getByLabel("Fewest words")).toHaveValue("3");

  await page.context().clearCookies();
  await page.setViewportSize({ width: 360, height: 740 });
  await begin(page, server);
  for (const at of [0, 1]) {
    await page.locator("li.output-card").nth(at).getByRole("heading").focus();
    await page.keyboard.type("50");
    await page.keyboard.press("Enter");
  }
  await step(page, "Write");
  await expect(field(page)).toHaveValue("The ferry was withdrawn because of corrosion.");
  await expect(page.getByText("Aim for 3 to 6 words.")).toBeVisible();
  await expect(page.locator(".written-figures .outside")).toHaveCount(1);
  await expect(page.locator("body")).not.toContainText("system 1");
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  expect(wide).toBeLessThanOrEqual(360);
  await accessible(page);
  await shots(page, "work-post-editing");

  // A text that needs no change is accepted; the heading leads into the field, and Escape out of it.
  await page.getByRole("button", { name: "It needs no change" }).click();
  await expect(page.getByText("Everything is done.")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("heading", { level: 1 })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(field(page)).toBeFocused();
  await page.keyboard.press("Control+a");
  await page.keyboard.type("The ferry had rust.");
  await expect(page.locator(".written-figures .outside")).toHaveCount(0);
  await saved(page);
  await page.keyboard.press("Control+Enter");
  await expect(page).toHaveURL(/\/s\/river\/work$/);
  expect(server.command("import", "river", "--written")).toContain("1 output");
  expect(server.command("import", "river", "--written")).toContain("0 rows");
  expect(server.command("system", "river")).toContain("Editors");
  expect(server.command("export", "river", "--format", "jsonl")).toContain('"text":"The ferry had rust."');
});
