import { setTimeout as sleep } from "node:timers/promises";
import { expect, it, vi } from "vitest";
import { openRoom, say, sync } from "../../testing/chat-hub.ts";
import { describeHub } from "../../testing/describe-chat.ts";
import { eventually } from "../../testing/eventually.ts";
import { joinAs } from "../../testing/live-visitor.ts";
import { startTestHub } from "../../testing/test-hub.ts";
import { startVisitorProcess } from "../../testing/visitor-process.ts";

/**
 * Decisions §6: a client that sends nothing leaves within 16 s. A busy machine gets one second
 * more.
 */
const GONE_MS = 17_000;

/** The hub keeps presence in memory, so these tests run on one database only. */
describeHub("presence over sockets", {}, (hub) => {
  it.concurrent.each([
    ["killed", "SIGKILL"],
    ["stopped, and answers no ping", "SIGSTOP"],
  ] as const)(
    "of two sockets and a poller, two are left when the process of one is %s",
    async (_, signal) => {
      const name = signal.toLowerCase();
      const ada = await hub.vip(`ada-${name}`);
      const [ben, cleo] = [await hub.member(`ben-${name}`), await hub.member(`cleo-${name}`)];
      const room = await openRoom(ada);
      await using watcher = joinAs(hub, ada, room);
      await using doomed = await startVisitorProcess(hub, ben, room);
      let lastPoll = (await sync(cleo, room, { last_id: 0 })).body;
      expect(lastPoll.online_count).toBe(3);
      await eventually(() => expect(watcher.online).toBe(3));

      doomed.kill(signal);
      const polled: number[] = [];
      await vi.waitFor(
        async () => {
          lastPoll = (await sync(cleo, room, { last_id: polled.at(-1) ?? 0 })).body;
          polled.push(...lastPoll.new_messages.map(({ id }: { id: number }) => id));
          expect([lastPoll.online_count, watcher.online]).toEqual([2, 2]);
        },
        { timeout: GONE_MS, interval: 250 },
      );
      expect(watcher.of("presence").at(-1)?.left).toEqual([`ben-${name}`]);
      expect((await say(ada, room, "He is gone.")).status).toBe(200);
      await eventually(() => expect(watcher.ids).toHaveLength(2));
      expect((await sync(cleo, room, { last_id: 0 })).body.new_messages).toHaveLength(2);
    },
    GONE_MS * 2,
  );

  it.concurrent("other clients receive joins and, after the grace period, leaves", async () => {
    const [dora, emil] = [await hub.member("dora"), await hub.member("emil")];
    const room = await openRoom(dora);
    await using watcher = joinAs(hub, dora, room);
    await eventually(() => expect(watcher.types).toContain("sync"));
    await using visitor = joinAs(hub, emil, room);
    await eventually(() => expect(watcher.of("presence").at(-1)?.joined).toEqual(["emil"]));
    visitor.leave();
    await eventually(() => expect(watcher.of("presence").at(-1)?.left).toEqual(["emil"]));
    expect(watcher.online).toBe(1);
  });

  it.concurrent("a quiet room over SSE is pinged", async () => {
    const fay = await hub.member("fay");
    const input = encodeURIComponent(JSON.stringify(await openRoom(fay)));
    const leaving = new AbortController();
    const response = await fetch(`${hub.url}/trpc/rooms.live?input=${input}`, {
      headers: { accept: "text/event-stream", authorization: `Bearer ${fay.apiKey}` },
      signal: leaving.signal,
    });
    let text = "";
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += chunk;
      if (text.includes("event: ping")) break;
    }
    expect(text).toMatch(/"type":"sync"[\s\S]*event: ping/);
    leaving.abort();
  });

  it.concurrent("a client that reconnects within the grace period does not leave", async () => {
    const [ada, ben] = [await hub.member("ada"), await hub.member("ben")];
    const room = await openRoom(ada);
    await using watcher = joinAs(hub, ada, room);
    await eventually(() => expect(watcher.types).toContain("sync"));
    await using shaky = joinAs(hub, ben, room, { retryDelayMs: () => 100 });
    await eventually(() => expect(watcher.online).toBe(2));
    for (let cut = 1; cut <= 5; cut++) {
      shaky.cut();
      await eventually(() => expect(shaky.of("sync")).toHaveLength(cut + 1));
    }
    // The test waits longer than the interval in which the hub batches joins and leaves.
    await sleep(400);
    expect(watcher.of("presence").flatMap(({ left }) => left)).toEqual([]);
    expect(watcher.of("presence")).toHaveLength(1);
  });
});

it("a client that disconnects before it is admitted is not present", async () => {
  await using own = await startTestHub();
  const [gus, guest] = [await own.member("gus"), own.guest()];
  const room = await openRoom(gus);
  await guest.get("/api/chat-quota");
  const [asked, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  // Simulates a presence store on another machine, whose answer takes time.
  own.hub.rooms.adopt = () => {
    asked.resolve();
    return answered.promise;
  };
  const { openSockets } = own.hub.metrics;
  const visitor = joinAs(own, guest, room);
  await asked.promise;
  await visitor.close();
  await eventually(async () => expect((await openSockets.get()).values[0]?.value).toBe(0));
  answered.resolve();
  expect((await sync(gus, room)).body.online_count).toBe(1);
  expect(own.hub.rooms.counts().sessions).toBe(0);
});
