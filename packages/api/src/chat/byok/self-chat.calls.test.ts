import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Actor } from "../../testing/actor.ts";
import { type ChatHub, type RoomName, startChatHub } from "../../testing/chat-hub.ts";
import { eventually } from "../../testing/eventually.ts";
import { openSocket } from "../../testing/live-visitor.ts";
import type { OpenAiServer } from "../../testing/openai-server.ts";
import { testDatabases } from "../../testing/test-database.ts";
import { hostAndPort } from "./host-and-port.ts";
import { failure, KEY, type OwnProviderHub, startOwnProviderHub } from "./own-provider.fixture.ts";

/** Decisions §5 and §7: a call to the caller's own provider while it lasts. */
describe.each(testDatabases())("a running POST /api/self-chat (on %s)", (database) => {
  let world: OwnProviderHub;
  let own: OpenAiServer;
  let hub: ChatHub;
  let ada: Actor;
  let room: RoomName;

  beforeAll(async () => {
    world = await startOwnProviderHub(database);
    ({ own, hub, ada, room } = world);
  });
  beforeEach(() => world.renew());
  afterAll(() => world.close());

  const ask: OwnProviderHub["ask"] = (...given) => world.ask(...given);

  /** Of the call that ended last: one that was called back has not run into its time limit. */
  const lastOutcome = async () => {
    await eventually(() => expect(hub.hub.replies.size).toBe(0));
    await hub.hub.modelUsage.flush();
    const { outcome } = await hub.hub.database.db
      .selectFrom("model_usage")
      .select("outcome")
      .orderBy("at", "desc")
      .executeTakeFirstOrThrow();
    return outcome;
  };

  it("streams to whoever asks for it", async () => {
    const { status, headers, text } = await ask(ada, {}, { accept: "text/event-stream" });
    expect([status, headers.get("content-type")]).toEqual([
      200,
      "text/event-stream; charset=utf-8",
    ]);
    const events = text
      .trim()
      .split("\n\n")
      .map((event) => {
        const [, name, data] = /^event: (\w+)\ndata: (.*)$/.exec(event) ?? [];
        return { name, data: JSON.parse(data ?? "") };
      });
    const done = events.pop();
    expect(done).toMatchObject({ name: "done", data: { success: true, sender_name: "Orla" } });
    expect(events.length).toBeGreaterThan(1);
    let said = "";
    for (const { name, data } of events) {
      expect([name, data.offset]).toEqual(["delta", said.length]);
      said += data.text;
    }
    expect(said).toBe(done?.data.reply);
    const refused = await ask(ada, { soul_id: 999_999 }, { accept: "text/event-stream" });
    expect(failure(refused)).toEqual([404, "soul_not_found"]);
  });

  it.each(["/api/self-chat", "/trpc/chat.selfChat"])(
    "stops the provider when the caller of %s goes",
    async (path) => {
      const goOn = own.holdNext();
      const asked = own.requests.length;
      const leaving = new AbortController();
      const call = fetch(hub.url + path, {
        method: "POST",
        body: JSON.stringify({ ...room, content: "Tell me all" }),
        signal: leaving.signal,
        headers: { "content-type": "application/json", authorization: `Bearer ${ada.apiKey}` },
      });
      const request = await own.received(asked + 1);
      leaving.abort();
      await expect(call).rejects.toThrow();
      expect(await request.ended).toBe("cancelled");
      goOn();
      expect(await lastOutcome()).toBe("cancelled");
      // fetch has connected anew; a connection that was never used would keep the hub from closing.
      expect((await ada.get("/api/byok")).status).toBe(200);
      expect(hub.log.join("")).not.toContain("a call failed");
    },
  );

  it("stops the provider when the caller's socket goes", async () => {
    const goOn = own.holdNext();
    const asked = own.requests.length;
    await using socket = openSocket(hub, ada);
    const call = socket.client.chat.selfChat.mutate({ ...room, content: "Tell me all" });
    const request = await own.received(asked + 1);
    socket.cut();
    await expect(call).rejects.toThrow();
    expect(await request.ended).toBe("cancelled");
    goOn();
    expect(await lastOutcome()).toBe("cancelled");
  });

  it("answers a repeat with the same Idempotency-Key without asking again", async () => {
    const again = { "idempotency-key": "once" };
    const first = await ask(ada, {}, again);
    const asked = own.requests.length;
    expect((await ask(ada, {}, again)).body).toEqual(first.body);
    expect(own.requests.length).toBe(asked);
    expect(failure(await ask(ada, { content: "Other" }, again))).toEqual([
      422,
      "idempotency_mismatch",
    ]);
  });

  it("runs eight at a time for one account; the others wait their turn", async () => {
    const release = Array.from({ length: 8 }, () => own.holdNext());
    const asked = own.requests.length;
    const calls = Array.from({ length: 10 }, () => ask(ada));
    await own.received(asked + 8);
    await eventually(() => expect(hub.hub.turns.waiting).toBe(2));
    expect(own.requests.length).toBe(asked + 8);
    // A key can be mended meanwhile.
    expect((await ada.get("/api/byok")).body.keys).toHaveLength(1);
    for (const goOn of release) goOn();
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual(calls.map(() => 200));
  });

  it("is called back by a hub that stops, and so is the trial of a key", async () => {
    const stopping = await startChatHub({
      database: hub.hub.database,
      ownModelsOptions: { allowedHosts: [hostAndPort(new URL(own.url))] },
    });
    const bearing = { authorization: `Bearer ${ada.apiKey}` };
    const asked = own.requests.length;
    own.failNext("hang", "hang");
    const calls = [
      stopping.guest().post("/api/self-chat", { ...room, content: "Hello" }, bearing),
      stopping.guest().put("/api/byok", { provider: "openai-compatible", api_key: KEY }, bearing),
    ];
    await own.received(asked + 2);
    await stopping.hub.drain();
    expect((await Promise.all(calls)).map(failure)).toEqual(
      calls.map(() => [503, "shutting_down"]),
    );
    await stopping.close();
  });
});
