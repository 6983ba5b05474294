import { pino } from "pino";
import { expect, it } from "vitest";
import type { CallContext } from "../../context.ts";
import { createSemaphore } from "../../semaphore.ts";
import { RunningReplies } from "../send/running-replies.ts";
import { retryStore } from "./retry-store.ts";

it("fails with overloaded, which the room receives too, if the database stays unreachable", async () => {
  const replies = new RunningReplies();
  const hub = { replies, storing: createSemaphore(1) } as unknown as CallContext["hub"];
  const stored = retryStore({ hub, log: pino({ enabled: false }) }, async () => {
    replies.cancelAll();
    throw new Error("Connection terminated unexpectedly");
  });
  await expect(stored).rejects.toMatchObject({ code: "overloaded", status: 503 });
});
