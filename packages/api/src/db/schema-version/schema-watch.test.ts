import { afterEach, describe, expect, it, vi } from "vitest";
import { connectDatabase } from "../../tables/connect.ts";
import { openRoom, say, startChatHub } from "../../testing/chat-hub.ts";
import { makeNewer, testDatabases } from "../../testing/test-database.ts";
import { lastingDatabase } from "../lasting-database.fixture.ts";

/** A running hub looks at the schema every 15 s (decisions §7). */
const CHECK_MS = 15_000;

afterEach(() => {
  vi.useRealTimers();
});

describe.each(testDatabases())("a hub that a newer release overtakes, on %s", (kind) => {
  it("leaves service in /readyz and continues to answer calls", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    await using lasting = await lastingDatabase(kind);
    await using hub = await startChatHub({ database: await connectDatabase(lasting.options) });
    /** Calls /readyz until its status is another one. `eventually` would move the faked timers. */
    const changedFrom = async (former: number) => {
      for (let calls = 0; calls < 500; calls++) {
        const { status, body } = await hub.guest().get("/readyz");
        if (status !== former) return { status, body };
      }
      throw new Error(`/readyz stays ${former}`);
    };
    const vera = await hub.vip("vera");
    const room = await openRoom(vera);

    await makeNewer(hub.hub.database, 100, 99);
    vi.advanceTimersByTime(CHECK_MS);
    expect(await changedFrom(200)).toEqual({
      status: 503,
      body: { status: "unavailable", schema: "too_new" },
    });
    expect((await say(vera, room, "Is it dark?")).status).toBe(200);
    expect(hub.log.filter((line) => line.includes("overtaken this server"))).toHaveLength(1);

    // A newer release that only adds to the schema keeps this one in service.
    await makeNewer(hub.hub.database, 101, 1);
    vi.advanceTimersByTime(CHECK_MS);
    expect((await changedFrom(503)).status).toBe(200);
  });
});
