import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Actor } from "../../testing/actor.ts";
import { type ChatHub, failureOf, type RoomName, startChatHub } from "../../testing/chat-hub.ts";
import { eventually } from "../../testing/eventually.ts";
import { openSocket } from "../../testing/live-visitor.ts";
import type { OpenAiServer } from "../../testing/openai-server.ts";
import { ruleDatabase } from "../../testing/test-database.ts";
import { hostAndPort } from "./allowed-hosts.ts";
import { KEY, type OwnProviderHub, startOwnProviderHub } from "./own-provider.fixture.ts";

/** Decisions §5, BYOK: streaming, cancellation and queueing of self-chat. */
describe("a running POST /api/self-chat", () => {
  const database = ruleDatabase();
  let world: OwnProviderHub;
  let own: OpenAiServer;
  let hub: ChatHub;
  let ada: Actor;
  let room: RoomName;

  beforeAll(async () => {
    world = await startOwnProviderHub(database);
    ({ own, hub, ada, room } = world);
  });
  beforeEach(() => world.reset());
  afterAll(() => world.close());

  const ask: OwnProviderHub["ask"] = (...given) => world.ask(...given);

  /** Reads the recorded outcome of the newest model call. */
  const lastOutcome = async () => {
    await hub.hub.modelCalls.idle();
    await hub.hub.modelUsage.flush();
    const { outcome } = await hub.hub.database.db
      .selectFrom("model_usage")
      .select("outcome")
      .orderBy("at", "desc")
      .executeTakeFirstOrThrow();
    return outcome;
  };

  it("streams with Accept: text/event-stream", async () => {
    const release = own.holdNext();
    const { status, headers, body } = await fetch(`${hub.url}/api/self-chat`, {
      method: "POST",
      body: JSON.stringify({ ...room, content: "Is it dark?" }),
      headers: {
        accept: "text/event-stream",
        "content-type": "application/json",
        authorization: `Bearer ${ada.apiKey}`,
      },
    });
    let text = "";
    for await (const piece of body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += piece;
      // The provider sends the rest only after the first words have arrived here.
      if (text.includes("event: delta")) release();
    }
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
    expect(failureOf(refused)).toEqual([404, "soul_not_found"]);
  });

  it.each(["/api/self-chat", "/trpc/chat.selfChat"])(
    "cancels the provider call when the caller of %s disconnects",
    async (path) => {
      const release = own.holdNext();
      const requests = own.requests.length;
      const client = new AbortController();
      const call = fetch(hub.url + path, {
        method: "POST",
        body: JSON.stringify({ ...room, content: "Tell me all" }),
        signal: client.signal,
        headers: { "content-type": "application/json", authorization: `Bearer ${ada.apiKey}` },
      });
      const request = await own.received(requests + 1);
      client.abort();
      await expect(call).rejects.toThrow();
      expect(await request.ended).toBe("cancelled");
      release();
      expect(await lastOutcome()).toBe("cancelled");
      // fetch replaced the aborted call's connection. This call uses the new one, since an idle
      // connection would delay the hub's shutdown.
      expect((await ada.get("/api/byok")).status).toBe(200);
      expect(hub.log.join("")).not.toContain("a call failed");
    },
  );

  it("cancels the provider call when the caller's socket breaks", async () => {
    const release = own.holdNext();
    const requests = own.requests.length;
    await using socket = openSocket(hub, ada);
    const call = socket.client.chat.selfChat.mutate({ ...room, content: "Tell me all" });
    const request = await own.received(requests + 1);
    socket.cut();
    await expect(call).rejects.toThrow();
    expect(await request.ended).toBe("cancelled");
    release();
    expect(await lastOutcome()).toBe("cancelled");
  });

  it("answers a repeated Idempotency-Key without a provider call", async () => {
    const idempotent = { "idempotency-key": "once" };
    const first = await ask(ada, {}, idempotent);
    const requests = own.requests.length;
    expect((await ask(ada, {}, idempotent)).body).toEqual(first.body);
    expect(own.requests.length).toBe(requests);
    expect(failureOf(await ask(ada, { content: "Other" }, idempotent))).toEqual([
      422,
      "idempotency_mismatch",
    ]);
  });

  it("runs eight calls of one account at a time; others wait", async () => {
    const releases = Array.from({ length: 8 }, () => own.holdNext());
    const requests = own.requests.length;
    const calls = Array.from({ length: 10 }, () => ask(ada));
    await own.received(requests + 8);
    await eventually(() => expect(hub.hub.modelCalls.waiting).toBe(2));
    expect(own.requests.length).toBe(requests + 8);
    // The account can read its keys while its model calls wait.
    expect((await ada.get("/api/byok")).body.keys).toHaveLength(1);
    for (const release of releases) release();
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual(calls.map(() => 200));
  });

  it("does not use a key that was deleted while the call waited", async () => {
    const releases = Array.from({ length: 8 }, () => own.holdNext());
    const requests = own.requests.length;
    const running = releases.map(() => ask(ada));
    await own.received(requests + 8);
    const late = ask(ada);
    await eventually(() => expect(hub.hub.modelCalls.waiting).toBe(1));
    await ada.delete("/api/byok?provider=openai-compatible");
    for (const release of releases) release();
    expect(failureOf(await late)).toEqual([403, "byok_inactive"]);
    expect((await Promise.all(running)).map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect(own.requests.length).toBe(requests + 8);
  });

  it("is cancelled by a draining hub, and so is the check of a key", async () => {
    const stopping = await startChatHub({
      database: hub.hub.database,
      ownModelsOptions: { allowedHosts: [hostAndPort(new URL(own.url))] },
    });
    const headers = { authorization: `Bearer ${ada.apiKey}` };
    const requests = own.requests.length;
    own.failNext("hang", "hang");
    const calls = [
      stopping.guest().post("/api/self-chat", { ...room, content: "Hello" }, headers),
      stopping.guest().put("/api/byok", { provider: "openai-compatible", api_key: KEY }, headers),
    ];
    await own.received(requests + 2);
    await stopping.hub.drain();
    expect((await Promise.all(calls)).map(failureOf)).toEqual(
      calls.map(() => [503, "shutting_down"]),
    );
    await stopping.close();
  });
});
