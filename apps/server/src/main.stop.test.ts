import { expect, it } from "vitest";
import { makePlace } from "./server-place.fixture.ts";
import { startServerProcess } from "./server-process.fixture.ts";

/** Stands still for a moment whenever it has said something, as a process does whose core others want. */
const HESITANT = `
  const write = process.stdout.write.bind(process.stdout);
  process.stdout.write = (...said) => {
    const isTaken = write(...said);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
    return isTaken;
  };
`;

it("a server that has just said that it is open stops in order", { timeout: 60_000 }, async () => {
  await using place = await makePlace("pglite");
  await using server = await startServerProcess({
    ...place.env,
    NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(HESITANT)}`,
  });
  expect(await server.stop()).toBe(0);
});
