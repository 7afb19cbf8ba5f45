import { execFileSync } from "node:child_process";

/** Launch options for the installed Chromium, which then contacts no servers of its own. */
export function chromium() {
  return {
    executablePath: process.env.CHROMIUM ?? find(),
    args: [
      "--no-sandbox",
      "--disable-dev-shm-usage",
      "--disable-gpu",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-domain-reliability",
      "--disable-sync",
      "--no-first-run",
      "--disable-features=OptimizationHints,MediaRouter,Translate",
      "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    ],
  };
}

function find() {
  for (const name of ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"]) {
    try {
      return execFileSync("sh", ["-c", `command -v ${name}`], { encoding: "utf8" }).trim();
    } catch {
      // Try the next name.
    }
  }
  throw new Error("Chromium is missing: install it, or name it in the variable CHROMIUM");
}
