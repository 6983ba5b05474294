import { expect, it } from "vitest";
import type { StoredReplies } from "./reply-store.ts";
import { ReplyTracker } from "./reply-tracker.ts";
import { RoomReplies } from "./room-replies.ts";

it("awaits the second read in every call that was made during the first", async () => {
  const reads: PromiseWithResolvers<StoredReplies | undefined>[] = [];
  const replies = new RoomReplies({
    roomKey: "1:lobby",
    tracker: new ReplyTracker({ now: () => 0, silenceMs: 1_000, lostMs: 1_000 }),
    store: {
      store: async () => {},
      list() {
        const read = Promise.withResolvers<StoredReplies | undefined>();
        reads.push(read);
        return read.promise;
      },
      close: () => {},
    },
    onMissed: () => {},
  });
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  const ended: string[] = [];
  const calls = ["first", "second", "third"].map((name) =>
    replies.catchUp().then(() => ended.push(name)),
  );
  reads[0]?.resolve(undefined);
  await settle();
  expect([reads.length, ended]).toEqual([2, []]);
  reads[1]?.resolve(undefined);
  await Promise.all(calls);
  expect(reads.length).toBe(2);
});
