import { expect, it } from "vitest";
import { makePlace } from "./testing/server-place.fixture.ts";
import { startServerProcess } from "./testing/server-process.fixture.ts";

/** Blocks the process for a moment after each write to stdout, as happens on a busy machine. */
const BLOCKING_STDOUT = `
  const write = process.stdout.write.bind(process.stdout);
  process.stdout.write = (...said) => {
    const isTaken = write(...said);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
    return isTaken;
  };
`;

it("a server can be stopped as soon as it has printed its greeting", {
  timeout: 60_000,
}, async () => {
  await using place = await makePlace();
  await using server = await startServerProcess({
    ...place.env,
    NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(BLOCKING_STDOUT)}`,
  });
  expect(await server.stop()).toBe(0);
});
