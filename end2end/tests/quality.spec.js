import { addMember, addPerson, signInQuickly } from "../support/people.js";
import { accessible, expect, open, shots, test } from "../support/test.js";

test("the page is accessible and fits every screen", async ({ page, server }) => {
  server.command("demo");
  addPerson(server, "lea");
  addMember(server, "lea", "demo", "lead");
  await signInQuickly(page, server, "lea");
  await open(page, server, "/s/demo/quality");
  for (const summary of await page.locator("details.terms > summary").all()) await summary.click();
  await accessible(page);
  await shots(page, "quality");
  await page.setViewportSize({ width: 320, height: 640 });
  await accessible(page);
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  expect(overflow).toBeLessThanOrEqual(0);
});
