import { addMember, addPerson, signInQuickly } from "../support/people.js";
import { accessible, awake, expect, open, shots, test } from "../support/test.js";
import { given, ready, study } from "../support/work.js";

const headers = { accept: "application/json" };

/** A study with two dimensions, whose lead is “lea”, with one source of two outputs. */
async function prepared(page, server) {
  study(server, { own: ["A plain output.", "Another plain output."], annotators: [], template: "direct-assessment" });
  addPerson(server, "lea");
  addMember(server, "lea", "river", "lead");
  await signInQuickly(page, server, "lea");
}

/** Makes the two groups on the page of the settings: experts rate adequacy, readers rate fluency, one of each a source. */
async function makeGroups(page, server) {
  await open(page, server, "/s/river/settings/groups");
  const groups = page.locator(".rater-group");
  for (const [at, name, attribute, dimension] of [
    [0, "Experts", "experts", "adequacy"],
    [1, "Target readers", "target readers", "fluency"],
  ]) {
    const group = groups.nth(at);
    await group.locator("summary").click();
    await group.getByLabel("Name").fill(name);
    await group.getByLabel("Annotators of the group for each source").fill("1");
    await group.getByLabel(attribute, { exact: true }).check();
    await group.getByLabel(dimension, { exact: true }).check();
  }
  await page.getByRole("button", { name: "Save the groups" }).click();
  await expect(page.getByText("The groups have been saved.")).toBeVisible();
}

/** The address of a new link that puts one annotator into the group. */
async function invite(page, server, group) {
  await page.goto(`${server.url}s/river/members`);
  const form = page.getByRole("form", { name: "Make an invitation link" });
  await form.getByLabel("Group").selectOption({ label: group });
  await form.getByRole("button", { name: "Make a link" }).click();
  return page.getByRole("link", { name: /\/invite\// }).getAttribute("href");
}

/** Joins by the link as a new person, in a browser of their own. */
async function join(browser, server, link, name) {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(new URL(link, server.url).href);
  await awake(page);
  await page.getByLabel("Name", { exact: true }).fill(name);
  await page.getByLabel(/^Password/).fill("correct horse battery");
  await page.getByRole("button", { name: /join|account/i }).click();
  await expect(page.getByRole("button", { name: "Sign out" })).toBeVisible();
  return page;
}

test("each group rates its dimensions, with a number of annotators of its own", async ({ page, server, browser }) => {
  await prepared(page, server);
  await makeGroups(page, server);
  await expect(page.getByText("Experts, 0 annotators")).toBeVisible();
  await accessible(page);
  await shots(page, "settings-groups-made");
  // Everybody is in a group, so nobody else is asked.
  await open(page, server, "/s/river/settings");
  await page.getByLabel("Annotators for each source").fill("0");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await expect(page.getByText("The settings have been saved.")).toBeVisible();

  for (const [name, group, rated, other] of [
    // A single dimension is known by the ends of its scale.
    ["ann", "Experts", "all is there", "no mistake"],
    ["bea", "Target readers", "no mistake", "all is there"],
  ]) {
    const link = await invite(page, server, group);
    const theirs = await join(browser, server, link, name);
    await theirs.goto(await given(theirs, server));
    await ready(theirs);
    const fields = theirs.getByRole("textbox", { name: /as a number/ });
    await expect(fields).toHaveCount(2);
    await expect(theirs.getByRole("main")).toContainText(rated);
    await expect(theirs.getByRole("main")).not.toContainText(other);
    await expect(theirs.getByRole("main")).not.toContainText(group);
    for (const at of [0, 1]) {
      await fields.nth(at).fill(String(40 + 20 * at));
      await fields.nth(at).press("Enter");
    }
    await expect(theirs.locator(".save-mark")).toHaveText("All changes saved");
    await theirs
      .getByRole("button", { name: /^Submit/ })
      .first()
      .click();
    await expect(theirs.getByText(/Nothing|done|submitted/i).first()).toBeVisible();
    await theirs.context().close();
  }

  await open(page, server, "/s/river/members");
  await expect(page.getByRole("combobox", { name: "Group of ann" })).toHaveValue("experts");
  await expect(page.getByRole("combobox", { name: "Group of bea" })).toHaveValue("target-readers");
  await accessible(page);
  await shots(page, "members-groups");
  // Both groups are full: nobody gets the source any more.
  addPerson(server, "carl");
  addMember(server, "carl", "river", "annotator");
  await open(page, server, "/s/river/members");
  await page.getByRole("combobox", { name: "Group of carl" }).selectOption({ label: "Experts" });
  await page.getByRole("button", { name: "Change the group of carl" }).click();
  await expect(page.getByText("The group has been changed.")).toBeVisible();
  const late = await browser.newContext();
  const carl = await late.newPage();
  await signInQuickly(carl, server, "carl");
  const next = await carl.request.post(`${server.url}api/next-source`, { form: { slug: "river" }, headers });
  expect(new URL(next.headers().location, server.url).pathname).toMatch(/\/work$/);
  await late.close();

  await open(page, server, "/s/river/agreement?dimension=adequacy");
  await expect(page.getByRole("main")).toContainText("Too early to say on any group");
  await accessible(page);
  await open(page, server, "/s/river/systems?dimension=adequacy&group=experts");
  await expect(page.getByText("Only ratings of the group “Experts”")).toBeVisible();
  await accessible(page);
  await shots(page, "systems-group");
  const table = server.command("export", "river", "--format", "tidy");
  expect(table).toContain("Experts");
  expect(table).toContain("Target readers");
});
