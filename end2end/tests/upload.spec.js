import { addPerson, signInQuickly } from "../support/people.js";
import { accessible, expect, light, notReached, open, shots, test } from "../support/test.js";

const table = "source,system,output\nThe old ferry was withdrawn.,A,The ferry stopped.\n";
test.use({ flags: ["--max-upload", "9"] });

const field = (page) => page.getByLabel("File", { exact: true });

/** Creates a study and opens its import page as its lead. */
async function lead(page, server) {
  addPerson(server, "lea");
  server.command("study", "create", "river", "--name", "River study", "--lead", "lea");
  await signInQuickly(page, server, "lea");
  await open(page, server, "/s/river/import");
}

/** Drops files on the file field's place; each is a name and a text. */
async function drop(page, ...files) {
  const dataTransfer = await page.evaluateHandle((files) => {
    const data = new DataTransfer();
    for (const [name, text] of files) data.items.add(new File([text], name, { type: "text/csv" }));
    return data;
  }, files);
  await page.locator(".drop-zone").dispatchEvent("dragover", { dataTransfer });
  await expect(page.locator(".drop-zone")).toHaveAttribute("data-over");
  await page.locator(".drop-zone").dispatchEvent("drop", { dataTransfer });
  await expect(page.locator(".drop-zone")).not.toHaveAttribute("data-over");
}

test("files are dropped, an upload shows its progress, is cancelled and repeated, and refused if too large", async ({
  page,
  server,
  context,
}) => {
  await lead(page, server);
  await light(page);
  await expect(page.getByText("Or drop the files here.")).toBeVisible();
  await drop(page, ["rows.csv", table]);
  await expect(field(page)).toHaveValue(/rows\.csv$/);
  await expect(page.getByText(`rows.csv, ${table.length} bytes`)).toBeVisible();
  await drop(page, ["t.orig", "One.\n"], ["t.simp.0", "One.\n"]);
  await expect(page.getByText("2 files, 10 bytes")).toBeVisible();
  await drop(page, ["rows.csv", table]);
  await page.getByRole("button", { name: "Upload" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("rows.csv");

  await open(page, server, "/s/river/import");
  const rows = table + "The harbour was rebuilt after the storm.,A,They rebuilt the harbour.\n".repeat(125_000);
  await field(page).setInputFiles({ name: "long.csv", mimeType: "text/csv", buffer: Buffer.from(rows) });
  const session = await context.newCDPSession(page);
  await session.send("Network.enable");
  const slow = (bytes) => ({ offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: bytes });
  await session.send("Network.emulateNetworkConditions", slow(100 * 1024));
  await page.getByRole("button", { name: "Upload" }).click();
  await expect(page.getByRole("progressbar", { name: "Uploaded" })).toBeVisible();
  await expect(page.locator(".upload .numbers")).toHaveText(/^\S+ (KB|MB) of 8\.\d MB \(\d+ %\), .+ left$/);
  await expect(page.getByRole("status").filter({ hasText: "Uploading" })).toBeVisible();
  await accessible(page);
  await shots(page, "upload");
  page.ignoreErrors(notReached);
  await page.getByRole("button", { name: "Cancel" }).click();
  await expect(page.getByText("The upload was cancelled. Nothing of it was kept.")).toBeVisible();
  await expect(page.getByRole("progressbar", { name: "Uploaded" })).toBeHidden();
  await expect(field(page)).toHaveValue(/long\.csv$/);
  await session.send("Network.emulateNetworkConditions", slow(-1));
  await page.getByRole("button", { name: "Upload" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("long.csv");
  page.ignoreErrors(undefined);

  // What the server does not take is refused in words for people.
  await open(page, server, "/s/river/import");
  page.ignoreErrors(new RegExp(`422|${notReached.source}`));
  const large = Buffer.alloc(10 << 20, "a");
  await field(page).setInputFiles({ name: "large.csv", mimeType: "text/csv", buffer: large });
  await page.getByRole("button", { name: "Upload" }).click();
  const refusal = page.getByRole("alert").getByText("more than the 9 MB that you can upload at once");
  await expect(refusal).toBeFocused();
  await expect(refusal).not.toContainText("command line");
  await expect(page.getByRole("progressbar", { name: "Uploaded" })).toBeHidden();
  await expect(field(page)).toHaveValue(/large\.csv$/);
});
