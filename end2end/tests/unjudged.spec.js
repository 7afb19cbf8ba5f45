import { readFileSync } from "node:fs";
import { join } from "node:path";
import { addMember, addPerson, signInQuickly } from "../support/people.js";
import { accessible, expect, open, shots, test } from "../support/test.js";
import { begin, ready, rows, saved, step, study, type } from "../support/work.js";

const question = "Why can you not judge it?";
const menu = (page) => page.getByRole("dialog", { name: question });
const cannotJudge = (place) => place.getByRole("button", { name: /^I cannot judge/ });
const canJudge = (place) => place.getByRole("button", { name: "I can judge it" });
const card = (page, number) => page.locator(".output-card").nth(number - 1);
const three = ["It stopped. It was old.", "The ferry stopped.", "An entirely different ship came to the island."];

async function choose(page, reason) {
  await menu(page).getByRole("button", { name: reason }).click();
}

test("in rank & rate, an output that cannot be judged has a reason in place of its score", async ({ page, server }) => {
  study(server, { own: three });
  await begin(page, server);
  await step(page, "Rank & rate");
  await expect(page.getByText("press ⊘ next to its score")).toBeVisible();
  const row = rows(page).first();
  const slider = row.getByRole("slider");
  await type(row, 64);

  // By the mouse: the reason comes in place of the score, and one undo brings the score again.
  await cannotJudge(row).click();
  await accessible(page);
  await choose(page, "It is in another language");
  await expect(row).toContainText("Not judged: It is in another language");
  await expect(slider).toBeHidden();
  await expect(row).not.toHaveClass(/todo/);
  await expect(row.locator(".handle")).toBeFocused();
  await page.keyboard.press("Control+z");
  await expect(slider).toHaveValue("64");
  await page.keyboard.press("Control+Shift+Z");
  await expect(slider).toBeHidden();
  await saved(page);
  await accessible(page);
  await shots(page, "work-unjudged");

  // It keeps its place, and neither a digit nor sorting gives it a score.
  const place = await row.getAttribute("id");
  await row.locator(".handle").focus();
  await page.keyboard.press("7");
  await expect(row).toContainText("Not judged");
  expect(await rows(page).first().getAttribute("id")).toBe(place);

  // By keys: Enter leads to what takes the reason back.
  await page.keyboard.press("Enter");
  await expect(canJudge(row)).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(slider).toBeVisible();
  await expect(row.locator(".handle")).toBeFocused();
  await page.keyboard.press("x");
  await expect(menu(page)).toBeVisible();
  await expect(menu(page).getByRole("button").first()).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(row.locator(".handle")).toBeFocused();
  await page.keyboard.press("x");
  await expect(menu(page).getByRole("button").first()).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(row).toContainText("It is empty or cut off");

  // The chosen reason again takes it back; the keys are listed.
  await page.keyboard.press("x");
  await expect(menu(page).getByRole("button", { name: "It is empty or cut off" })).toHaveAttribute(
    "aria-pressed",
    "true",
  );
  await choose(page, "It is empty or cut off");
  await expect(slider).toBeVisible();
  await page.keyboard.press("?");
  await expect(page.getByRole("dialog", { name: "Keys" })).toContainText("say that you cannot judge it");
  await page.keyboard.press("Escape");

  // Opened again before the browser has reported that it closed, the menu stays open.
  await row.locator(".handle").focus();
  await page.keyboard.press("x");
  await expect(menu(page).getByRole("button").first()).toBeFocused();
  await page.evaluate(
    (label) =>
      new Promise((resolve) => {
        const dialog = document.querySelector(`dialog[aria-label="${label}"]`);
        dialog.addEventListener("close", () => setTimeout(resolve), { once: true });
        dialog.close();
        document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: "x", bubbles: true }));
      }),
    question,
  );
  await expect(menu(page)).toBeVisible();
  await expect(menu(page).getByRole("button").first()).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(rows(page).first()).toContainText("It is empty or cut off");
});

test("a submitted source shows leads and exports what could not be judged", async ({ page, server }) => {
  study(server, { template: "likert", own: three });
  await begin(page, server);
  for (const key of "543") await page.keyboard.press(key);
  await expect(card(page, 2).getByRole("heading")).toBeFocused();

  // A choice of levels is taken back with the reason; another reason needs a note.
  await page.keyboard.press("5");
  await page.keyboard.press("Escape");
  await page.keyboard.press("x");
  await choose(page, "I do not understand it");
  await expect(card(page, 2)).toContainText("Not judged: I do not understand it");
  await expect(card(page, 2).getByRole("group")).toHaveCount(0);
  await cannotJudge(card(page, 3)).click();
  await choose(page, "Another reason");
  await expect(card(page, 3).getByLabel("Note")).toBeFocused();
  await expect(page.getByText("1 output left to rate")).toBeVisible();
  await page.keyboard.press("Control+Enter");
  const dialog = page.getByRole("dialog", { name: "Not ready to submit" });
  await expect(dialog.getByRole("listitem")).toHaveText(["Output 3 needs a note: why can you not judge it?"]);
  await dialog.getByRole("button", { name: "Output 3" }).click();
  await card(page, 3).getByLabel("Note").fill("It is about an island.");
  await card(page, 3).getByLabel("Note").press("Escape");
  await expect(page.getByText("All outputs are rated.")).toBeVisible();
  await saved(page);

  await page.reload();
  await ready(page);
  await expect(card(page, 3)).toContainText("Not judged: Another reason");
  await accessible(page);
  await shots(page, "work-unjudged-levels");
  await page.getByRole("button", { name: "Submit" }).click();
  await expect(page).toHaveURL(/\/s\/river\/work$/);

  // Leads see the reasons beside the ratings, and how often there was one.
  await page.context().clearCookies();
  addPerson(server, "lea");
  addMember(server, "lea", "river", "lead");
  await signInQuickly(page, server, "lea");
  await open(page, server, "/s/river/sources");
  await page.getByRole("link", { name: "s1" }).first().click();
  await expect(page.getByText("could not judge it: Another reason (“It is about an island.”)")).toBeVisible();
  await accessible(page);
  await shots(page, "lead-source-unjudged");
  await open(page, server, "/s/river/systems");
  const table = page.getByRole("group", { name: "Outputs that raters could not judge" });
  // Which two systems they are follows from the order of the outputs, which is random.
  await expect(table.getByRole("row").filter({ hasText: "100.0 %" })).toHaveCount(2);
  await accessible(page);
  await shots(page, "lead-systems-unjudged");
  await open(page, server, "/s/river/quality");
  await open(page, server, "/s/river/agreement");

  const file = join(server.data, "river.csv");
  const { files } = JSON.parse(server.command("export", "river", "--format", "tidy", "-o", file, "--json"));
  const unjudged = join(server.data, "river.unjudged.csv");
  expect(files).toEqual([file, unjudged, join(server.data, "river.README.md")]);
  expect(readFileSync(unjudged, "utf8")).toMatch(/,annotator 1,other,It is about an island\.,false,/);
  expect(readFileSync(file, "utf8").trimEnd().split("\n")).toHaveLength(4);
  const begun = page.waitForEvent("download");
  await open(page, server, "/s/river/export");
  await page.getByRole("button", { name: "Download Tidy table" }).click();
  expect((await begun).suggestedFilename()).toBe("river-tidy.zip");
});

test("where steps are merged, and where every output gets a score", async ({ page, server }) => {
  study(server, { own: three, layout: "merged" });
  await begin(page, server);
  const row = rows(page).nth(1);
  await cannotJudge(row).click();
  await choose(page, "I do not understand it");
  await expect(row).toContainText("Not judged");
  await saved(page);
  await accessible(page);
  await shots(page, "work-unjudged-merged");

  await page.context().clearCookies();
  addPerson(server, "lea", "--admin");
  await signInQuickly(page, server, "lea");
  await open(page, server, "/s/river/settings/protocol");
  await page.getByLabel("Annotators may say that they cannot judge an output").uncheck();
  await page.getByRole("button", { name: "Save the protocol" }).click();
  await expect(page.getByText("The protocol has been saved.")).toBeVisible();
  await accessible(page);
  await page.context().clearCookies();
  await begin(page, server);
  await expect(rows(page).nth(1)).toContainText("Not judged");
  await expect(cannotJudge(page)).toHaveCount(0);
  await rows(page).first().locator(".handle").focus();
  await page.keyboard.press("x");
  await expect(menu(page)).toBeHidden();
  await canJudge(rows(page).nth(1)).click();
  await expect(rows(page).nth(1).getByRole("slider")).toBeVisible();
});
