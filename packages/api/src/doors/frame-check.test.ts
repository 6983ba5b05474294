import { jsonEncoder } from "@trpc/server/adapters/ws";
import type { Logger } from "pino";
import { expect, it } from "vitest";
import { startTestHub } from "../testing/test-hub.ts";
import { framesWillDo } from "./frame-check.ts";

const SLOW_WAY = "live events take the slow way";

it("finds this version of tRPC as expected", async () => {
  await using hub = await startTestHub();
  expect(await framesWillDo(hub.hub.log)).toBe(true);
  expect(hub.log.filter((line) => line.includes(SLOW_WAY))).toEqual([]);
});

type Message = { result?: { type: string; data?: unknown }; error?: object };

it.each<[string, (message: Message) => unknown]>([
  [
    "adds a field to a result",
    ({ result, ...rest }) => (result ? { ...rest, result: { ...result, at: 1 } } : rest),
  ],
  ["adds a field to a message", (message) => ({ ...message, at: 1 })],
  ["adds a field to an error", (message) => (message.error ? { ...message, at: 1 } : message)],
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
    ...jsonEncoder,
    encode: (message: unknown) => jsonEncoder.encode(changed(message as Message)),
  };
  expect(await framesWillDo(log, encoder)).toBe(false);
  expect(lines).toEqual([{ fault: expect.any(String) }]);
});
