import { afterEach, describe, expect, it, vi } from "vitest";
import { openRoom, say, startChatHub } from "../testing/chat-hub.ts";
import { eventually } from "../testing/eventually.ts";
import { makeNewer, testDatabases } from "../testing/test-database.ts";
import { connectDatabase } from "./connect.ts";
import { lastingDatabase } from "./lasting-database.fixture.ts";

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
    const ready = async () => {
      const { status, body } = await hub.guest().get("/readyz");
      return { status, body };
    };
    const vera = await hub.vip("vera");
    const room = await openRoom(vera);

    expect((await ready()).status).toBe(200);
    await makeNewer(hub.hub.database, 100, 99);
    vi.advanceTimersByTime(CHECK_MS);
    await eventually(async () =>
      expect(await ready()).toEqual({
        status: 503,
        body: { status: "unavailable", schema: "too_new" },
      }),
    );
    expect((await say(vera, room, "Is it dark?")).status).toBe(200);
    expect(hub.log.filter((line) => line.includes("overtaken this server"))).toHaveLength(1);

    // A newer release that only adds to the schema keeps this one in service.
    await makeNewer(hub.hub.database, 101, 1);
    vi.advanceTimersByTime(CHECK_MS);
    await eventually(async () => expect((await ready()).status).toBe(200));
  });
});
