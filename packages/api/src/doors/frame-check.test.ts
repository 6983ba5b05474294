import type { Logger } from "pino";
import { expect, it } from "vitest";
import { startTestHub } from "../testing/test-hub.ts";
import { framesWillDo } from "./frame-check.ts";
import { introducingEncoder } from "./socket-outlet.ts";

const SLOW_WAY = "live events take the slow way";

it("finds this version of tRPC as expected", async () => {
  await using hub = await startTestHub();
  expect(await framesWillDo(hub.hub.log)).toBe(true);
  expect(hub.log.filter((line) => line.includes(SLOW_WAY))).toEqual([]);
});

type Message = { result?: { type: string; data?: unknown } };

it.each<[string, (message: Message) => unknown]>([
  [
    "adds a field to a result",
    ({ result, ...rest }) => ({ ...rest, result: { ...result, at: 1 } }),
  ],
  ["adds a field to a message", (message) => ({ ...message, at: 1 })],
  ["copies what it is given", (message) => structuredClone(message)],
  [
    "calls the start something else",
    ({ result, ...rest }) => ({
      ...rest,
      result: result?.type === "started" ? { type: "begun" } : result,
    }),
  ],
])("says so, and does without, when tRPC %s", async (_, changed) => {
  const lines: object[] = [];
  const log = { error: (line: object) => void lines.push(line) } as Pick<Logger, "error">;
  const encoder = {
    ...introducingEncoder,
    encode: (message: unknown) => introducingEncoder.encode(changed(message as Message)),
  };
  expect(await framesWillDo(log, encoder)).toBe(false);
  expect(lines).toEqual([{ fault: expect.any(String) }]);
});
