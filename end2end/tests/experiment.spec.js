import { addMember, addPerson, signInQuickly } from "../support/people.js";
import { accessible, expect, light, open, shots, test } from "../support/test.js";
import { ready, study } from "../support/work.js";

/** Takes the next source of a study, rates both outputs on three dimensions, and submits it. */
async function judge(page, server, slug) {
  const next = page.getByRole("button", { name: "Next source" });
  // New imports are held back until they are aligned.
  await expect(async () => {
    await open(page, server, `/s/${slug}/work`);
    await expect(next).toBeVisible({ timeout: 1_000 });
  }).toPass({ timeout: 60_000 });
  await next.click();
  await page.waitForURL(new RegExp(`/s/${slug}/work/.`));
  await ready(page);
  for (const key of "543543") await page.keyboard.press(key);
  await expect(page.getByText("All outputs are rated.")).toBeVisible();
  await page.keyboard.press("Control+Enter");
  await page.waitForURL(new RegExp(`/s/${slug}/work$`));
}

test("a lead begins an experiment, and annotators do their parts", async ({ page, server, browser }) => {
  const own = ["The ferry stopped.", "The old ferry was rusty."];
  study(server, { own, sources: 2, annotators: ["ann", "bob"], template: "likert" });
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
    if (name === "bob") {
      // The second annotator begins in the other arm, and is led there.
      await own.getByRole("button", { name: "Next source" }).click();
      await expect(own).toHaveURL(/\/s\/river-likert\/work$/);
      await expect(own.getByText("This is part 1 of 2.")).toBeVisible();
    }
    await judge(own, server, first);
    await expect(own.getByText("This is part 1 of 2.")).toBeVisible();
    await accessible(own);
    await shots(own, `experiment-part-${name}`);
    await own.getByRole("link", { name: /^Go to part 2/ }).click();
    await expect(own.getByText("This is part 2 of 2.")).toBeVisible();
    await judge(own, server, then);
    await expect(own.getByText("There is nothing left for you in any part.")).toBeVisible();
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
