import { addMember, addPerson, signInQuickly } from "../support/people.js";
import { accessible, awake, expect, open, shots, test } from "../support/test.js";

/** Loads the demonstration and signs a person of that role in. */
async function demonstration(page, server, role = "lead") {
  server.command("demo");
  addPerson(server, "lea");
  addMember(server, "lea", "demo", role);
  await signInQuickly(page, server, "lea");
}

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? "with JavaScript" : "without JavaScript", () => {
    test.use({ javaScriptEnabled });

    test("tabs lead to a group and then to its pages", async ({ page, server }) => {
      await demonstration(page, server);
      await page.goto(`${server.url}s/demo`);
      const study = page.getByRole("navigation", { name: "Study" });
      await expect(study.getByRole("link")).toHaveText(["Overview", "Data", "People", "Results", "Settings"]);
      await expect(study.getByRole("link", { name: "Overview" })).toHaveAttribute("aria-current", "page");
      await study.getByRole("link", { name: "Results" }).click();
      await expect(page).toHaveURL(/\/s\/demo\/agreement$/);
      const results = page.getByRole("navigation", { name: "Results" });
      await expect(results.getByRole("link")).toHaveText([
        "Agreement",
        "Quality",
        "Systems",
        "Protocols",
        "Metrics",
        "Ratings",
        "Consensus",
        "Reading",
      ]);
      await results.getByRole("link", { name: "Systems" }).click();
      await expect(page).toHaveURL(/\/s\/demo\/systems$/);
      await expect(results.getByRole("link", { name: "Systems" })).toHaveAttribute("aria-current", "page");
      await expect(study.getByRole("link", { name: "Results" })).toHaveAttribute("aria-current", "true");
    });
  });
}

test("a researcher has no tabs for pages of leads", async ({ page, server }) => {
  await demonstration(page, server, "researcher");
  await open(page, server, "/s/demo/sources");
  const study = page.getByRole("navigation", { name: "Study" });
  await expect(study.getByRole("link")).toHaveText(["Overview", "Data", "Results"]);
  const data = page.getByRole("navigation", { name: "Data" });
  await expect(data.getByRole("link")).toHaveText(["Sources", "Export"]);
});

test.describe("times", () => {
  test.use({ timezoneId: "Asia/Tokyo" });

  test("are shown in the browser's own time zone, near ones in words", async ({ page, server }) => {
    await demonstration(page, server);
    await open(page, server, "/s/demo/log");
    const time = page.getByRole("main").locator("time").first();
    const exact = new Date(await time.getAttribute("datetime"));
    const clock = new Intl.DateTimeFormat("en-GB", { timeZone: "Asia/Tokyo", hour: "2-digit", minute: "2-digit" });
    await expect(time).toContainText(clock.format(exact));
    await expect(time).not.toContainText("UTC");
    await expect(time).toHaveAttribute("title", /\d{4} at .*GMT\+9/);
    await open(page, server, "/s/demo");
    await expect(page.locator(".activity time").first()).toHaveText(/ago|just now/);
    await expect(page.locator(".pace time, .activity time").last()).not.toContainText("UTC");
  });
});

test.describe("times without JavaScript", () => {
  test.use({ javaScriptEnabled: false });

  test("are in UTC and say so", async ({ page, server }) => {
    await demonstration(page, server);
    await page.goto(`${server.url}s/demo/log`);
    await expect(page.getByRole("main").locator("time").first()).toHaveText(/^\d+ \w+ \d{4}, \d\d:\d\d UTC$/);
  });
});

test("the overview begins with what there is to do", async ({ page, server }) => {
  addPerson(server, "lea");
  server.command("study", "create", "river", "--name", "River study", "--lead", "lea");
  await signInQuickly(page, server, "lea");
  await open(page, server, "/s/river");
  const tasks = page.getByRole("region", { name: "To do" }).getByRole("link");
  await expect(tasks).toHaveText([
    "Import sources and system outputs",
    "Write the information sheet",
    "Invite annotators",
  ]);
  await accessible(page);
  await tasks.nth(1).click();
  await awake(page);
  await expect(page.getByLabel("Guidelines", { exact: true })).toHaveValue(/What you are asked to do/);
});

test("overview and sources agree on how far the study is", async ({ page, server }) => {
  await demonstration(page, server);
  await open(page, server, "/s/demo");
  const legend = await page.locator(".bar-legend li").allTextContents();
  const [done, progress, rest] = legend.map((text) => Number.parseInt(text, 10));
  expect(done).toBeGreaterThan(0);
  await open(page, server, "/s/demo/sources");
  const sentence = `${done} done, ${progress} begun, ${rest} not started`;
  await expect(page.getByRole("main")).toContainText(sentence);
});

test("short settings pages have their own tabs", async ({ page, server }) => {
  await demonstration(page, server);
  await open(page, server, "/s/demo/settings");
  const pages = page.getByRole("navigation", { name: "Settings" });
  for (const name of ["General", "Protocol", "Texts", "Scales", "Quality control", "Groups", "Privacy", "Advanced"]) {
    await pages.getByRole("link", { name, exact: true }).click();
    await awake(page);
    await expect(pages.getByRole("link", { name, exact: true })).toHaveAttribute("aria-current", "page");
    await expect(page.getByRole("main").locator("form .primary")).toHaveCount(1);
    await accessible(page);
    await shots(page, `settings-${name.toLowerCase().replace(" ", "-")}`);
  }
});
