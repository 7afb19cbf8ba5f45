import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "../..");
const target = process.env.CARGO_TARGET_DIR ?? join(root, "target");

/** The binary under test: `RANKRATE_BIN`, or the debug build. */
export const binary = process.env.RANKRATE_BIN ?? join(target, "debug/rankrate");

/** A server on a free port, with its own data folder: an empty one, or a copy of the folder `prepared`. */
export class Server {
  constructor(flags = [], prepared = undefined) {
    this.flags = flags;
    this.data = mkdtempSync(join(tmpdir(), "rankrate-"));
    if (prepared) cpSync(prepared, this.data, { recursive: true });
    this.log = "";
    this.out = "";
  }

  /** Starts the server, or restarts it on the same port and data. */
  async start() {
    const listen = this.url ? new URL(this.url).host : "127.0.0.1:0";
    const flags = ["serve", "--listen", listen, "--data", this.data, ...this.flags];
    this.out = "";
    this.process = spawn(binary, flags, { env: this.env(), stdio: ["ignore", "pipe", "pipe"] });
    this.process.stderr.on("data", (text) => (this.log += text));
    const exit = once(this.process, "exit").then(() => {
      throw new Error(`the server did not start:\n${this.log}`);
    });
    exit.catch(() => {});
    this.url = await Promise.race([exit, this.address()]);
    return this;
  }

  /** Runs another command of the binary on the same data and returns its output. */
  command(...args) {
    return execFileSync(binary, [...args, "--data", this.data], { env: this.env(), encoding: "utf8" });
  }

  /** Like `command`, with `input` on its standard input. */
  feed(input, ...args) {
    const options = { env: this.env(), encoding: "utf8", input };
    return execFileSync(binary, [...args, "--data", this.data], options);
  }

  /** Stops the server with a signal: SIGTERM for a clean stop, SIGKILL as in a crash. */
  async stop(signal = "SIGTERM") {
    if (this.process?.exitCode !== null || this.process.signalCode !== null) return;
    const gone = once(this.process, "exit");
    this.process.kill(signal);
    await gone;
  }

  /** Stops the server, if it was started, and deletes its data. */
  async remove() {
    await this.stop("SIGKILL");
    rmSync(this.data, { recursive: true, force: true });
  }

  env() {
    const { DATABASE_URL, RANKRATE_CONFIG, ...env } = process.env;
    return { ...env, RANKRATE_LOG: env.RANKRATE_LOG ?? "info" };
  }

  /** The address that the server prints first. */
  address() {
    return new Promise((resolve) => {
      this.process.stdout.on("data", (text) => {
        this.out += text;
        const found = this.out.match(/http:\/\/\S+(?=\n)/);
        if (found) resolve(found[0]);
      });
    });
  }
}
