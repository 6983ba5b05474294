import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { fakeTime, member, pass, ROOM, testRooms } from "../room.fixture.ts";

beforeEach(() => void fakeTime());
afterEach(() => void vi.useRealTimers());

const ada = member("ada");
const bob = member("bob");
const question = { reply_id: "r", sender_name: "bob", content: "Why?" };

/** Starts the call of one polling client and reads the room's state for it. */
async function startCall() {
  const hub = testRooms();
  const session = await hub.rooms.pollSession(ROOM, ada);
  if (!session) throw new Error("too many calls wait");
  const read = () => hub.rooms.poll(ROOM, ada, { session });
  await read();
  return { hub, session, read, wait: () => session.wait({ head: 0, ms: 1_000 }) };
}

describe("a waiting call", () => {
  it("ends at once if the room changed while its state was read", async () => {
    const { hub, wait } = await startCall();
    hub.rooms.startReply(ROOM, question);
    expect(await wait()).toBe("news");
  });

  it("ends at once if a right may have been lost since it was checked", async () => {
    const { hub, wait } = await startCall();
    hub.rooms.recheck(ROOM);
    expect(await wait()).toBe("recheck");
    const waiting = wait();
    await pass(1_000);
    expect(await waiting).toBe("timeout");
  });

  it("ends when a participant joins, unless the client has been told of it", async () => {
    const { hub, read, wait } = await startCall();
    await hub.rooms.poll(ROOM, bob);
    expect((await read()).present.size).toBe(2);
    const told = wait();
    await pass(1_000);
    expect(await told).toBe("timeout");
    const waiting = wait();
    await hub.rooms.poll(ROOM, member("eve"));
    await pass(250);
    expect(await waiting).toBe("news");
  });

  it("leaves nothing behind once its client stays away", async () => {
    const { hub, session, wait } = await startCall();
    const waiting = wait();
    await pass(1_000);
    await waiting;
    session[Symbol.dispose]();
    expect(hub.rooms.counts().sessions).toBe(1);
    await pass(5_000);
    expect(hub.rooms.counts().sessions).toBe(0);
    await pass(30_000);
    expect(hub.rooms.counts()).toMatchObject({ rooms: 0, timers: 0 });
    expect(hub.store.rooms).toBe(0);
  });
});
