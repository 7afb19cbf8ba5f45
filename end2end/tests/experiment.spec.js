import { addMember, addPerson, signInQuickly } from "../support/people.js";
import { accessible, expect, light, open, shots, test } from "../support/test.js";
import { study } from "../support/work.js";

/** Submits all sources that the signed-in annotator is given in a study, as a script would; returns how many. */
async function submitAll(page, server, slug) {
  const call = async (endpoint, data) => {
    const answer = await page.request.post(`${server.url}api/${endpoint}`, {
      ...data,
      headers: { accept: "application/json", origin: new URL(server.url).origin },
      maxRedirects: 0,
    });
    return answer.headers().location ?? "";
  };
  let submitted = 0;
  for (;;) {
    const location = await call("next-source", { form: { slug } });
    if (!/\/work\/./.test(location)) return submitted;
    await page.goto(new URL(location, server.url).href);
    await rate(page);
    submitted += 1;
  }
}

/** Rates each output of the source on the page, and submits it. */
async function rate(page) {
  await expect(page.locator("body[data-hydrated]")).toBeAttached();
  for (const slider of await page.getByRole("slider").all()) {
    await slider.focus();
    await page.keyboard.press("ArrowRight");
  }
  for (const group of await page.getByRole("radiogroup").all()) await group.getByRole("radio").nth(2).check();
  await page.getByRole("button", { name: /Submit/ }).first().click();
  await expect(page.getByText(/Submit/).first()).toBeVisible();
}

test("a lead begins an experiment, and annotators do their parts", async ({ page, server, browser }) => {
  const own = ["The ferry stopped.", "The old ferry was rusty."];
  study(server, { own, sources: 2, annotators: ["ann", "bob"], template: "direct-assessment" });
  addPerson(server, "lea");
  addMember(server, "lea", "river", "lead");
  await signInQuickly(page, server, "lea");
  await open(page, server, "/s/river/protocols");
  await light(page);
  await page.getByText("Compare protocols in an experiment…").click();
  await accessible(page);
  await shots(page, "experiment-begin");
  await page.getByRole("checkbox", { name: "Likert scales" }).check();
  await page.getByRole("button", { name: "Begin the experiment" }).click();
  await expect(page.getByText(/The arms are up to date. Copied: sources 2, outputs 4/)).toBeVisible();
  await expect(page.getByText("2 annotators have to take part; 0 have begun")).toBeVisible();
  await expect(page.getByRole("link", { name: "River study: Likert scales" })).toBeVisible();
  await expect(page.getByText(/^Randomised:/)).toBeVisible();

  for (const [name, first, then] of [
    ["ann", "river", "river-likert"],
    ["bob", "river-likert", "river"],
  ]) {
    const context = await browser.newContext();
    const own = await context.newPage();
    await signInQuickly(own, server, name);
    await open(own, server, "/s/river/work");
    await expect(own.getByText("This is one of 2 parts.")).toBeVisible();
    await expect(async () => {
      await open(own, server, `/s/${first}/work`);
      await own.getByRole("button", { name: /Next source/ }).click({ timeout: 2_000 });
      await expect(own).toHaveURL(/\/work\/./, { timeout: 2_000 });
    }).toPass({ timeout: 60_000 });
    await open(own, server, `/s/${first}/work`);
    await expect(own.getByText("This is part 1 of 2.")).toBeVisible();
    expect(await submitAll(own, server, first)).toBe(1);
    await open(own, server, `/s/${first}/work`);
    await accessible(own);
    await shots(own, `experiment-part-${name}`);
    await own.getByRole("link", { name: /^Go to part 2/ }).click();
    await expect(own.getByText("This is part 2 of 2.")).toBeVisible();
    expect(await submitAll(own, server, then)).toBe(1);
    await open(own, server, `/s/${then}/work`);
    await expect(own.getByText("That was the last part.")).toBeVisible();
    await open(own, server, "/");
    await expect(own.getByText("part 1 of 2")).toBeVisible();
    await context.close();
  }

  await open(page, server, "/s/river/protocols");
  await expect(page.getByText("2 annotators have to take part; 2 have begun")).toBeVisible();
  const row = page.getByRole("row", { name: /minus/ });
  await expect(row.getByRole("cell").last()).toHaveText("2");
  await accessible(page);
  await shots(page, "experiment");
  const said = JSON.parse(server.command("protocols", "river", "river-likert", "--json"));
  expect(said).toMatchObject({ randomised: true, differences: [{ minutes: { raters: 2 } }] });
});
