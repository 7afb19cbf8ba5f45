import { addMember, addPerson } from "./people.js";
import { Server } from "./server.js";
import { test as base } from "./test.js";

/** `test` whose `server` has a copy of the demonstration, which is loaded once a worker; its lead is “lea”. */
export const test = base.extend({
  demonstration: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures from the pattern.
    async ({}, use) => {
      const prepared = new Server();
      prepared.command("demo");
      addPerson(prepared, "lea");
      addMember(prepared, "lea", "demo", "lead");
      await use(prepared.data);
      await prepared.remove();
    },
    { scope: "worker" },
  ],
  server: async ({ demonstration, flags, errors }, use) => {
    const server = await new Server(flags, demonstration).start();
    await use(server);
    await errors.closeContexts();
    await server.remove();
  },
});

/** `test` for those that change nothing: they share one server with the demonstration. */
export const testReading = test.extend({
  sharedServer: [
    async ({ demonstration }, use) => {
      const server = await new Server([], demonstration).start();
      await use(server);
      await server.remove();
    },
    { scope: "worker" },
  ],
  server: async ({ sharedServer }, use) => use(sharedServer),
});
