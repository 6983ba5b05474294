import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import {
  type ChatHub,
  eventually,
  keepLog,
  openRoom,
  say,
  startChatHub,
  testDatabases,
} from "@soul-hub/api/testing";
import { pino } from "pino";
import { describe, expect, inject, it } from "vitest";
import { readEnvironment } from "../env.ts";
import { startHaproxy } from "../two-servers/two-servers.fixture.ts";
import { startTracing } from "./otel-tracer.ts";
import { type OtlpSink, type SunkSpan, startOtlpSink } from "./otlp-sink.fixture.ts";

const SECRETS = /secret-|ada@|shk_|the-session|Bearer|Orla|\bada\b/;
const TRACE = "0af7651916cd43dd8448eb211c80319c";
const PARENT = "b7ad6b7169203331";
const SERVER = 2;
const ERROR = 2;

const silent = pino({ level: "silent" });

/** Starts tracing as the environment of a server does. */
const trace = (endpoint: string, more: NodeJS.ProcessEnv = {}, log = silent) =>
  startTracing(
    readEnvironment({
      OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
      OTEL_TRACES_SAMPLER: "parentbased_always_on",
      ...more,
    }),
    "0.0.0-test",
    log,
  );

type Use = (hub: ChatHub) => Promise<void>;

/** Runs a hub with tracing. Returns the spans that the collector got. */
async function traceHub(options: Parameters<typeof startChatHub>[0], use: Use): Promise<OtlpSink> {
  await using sink = await startOtlpSink();
  const tracing = trace(sink.url);
  {
    await using hub = await startChatHub({ ...options, tracer: tracing.tracer });
    await use(hub);
  }
  await tracing.close();
  return sink;
}

const startSecretRoom = async (hub: ChatHub) => {
  const ada = await hub.vip("ada");
  const room = await openRoom(ada, { content: "secret-content" });
  return { ada, room: { ...room, session_token: "the-session" } };
};

const find = (spans: readonly SunkSpan[], name: string): SunkSpan => {
  const found = spans.find((span) => span.name === name);
  if (!found) throw new Error(`no span ${name} in ${spans.map((span) => span.name).join(", ")}`);
  return found;
};

/** The names from a span up to the root of its trace. */
function pathOf(spans: readonly SunkSpan[], span: SunkSpan): string[] {
  const parent = spans.find(({ spanId }) => spanId === span.parentSpanId);
  return [span.name, ...(parent ? pathOf(spans, parent) : [])];
}

describe.each(testDatabases())("a trace on %s", (database) => {
  it("goes from the transport over statements to the model call, without any text", async () => {
    let lines: Record<string, unknown>[] = [];
    const sink = await traceHub({ database }, async (hub) => {
      const { ada, room } = await startSecretRoom(hub);
      hub.log.length = 0;
      expect((await say(ada, room, "secret-question")).status).toBe(200);
      lines = hub.log.map((line) => JSON.parse(line));
    });
    const { spans } = sink;
    const root = find(spans, "POST /api/chat");
    expect(root).toMatchObject({
      kind: SERVER,
      attributes: {
        "http.request.method": "POST",
        "http.route": "/api/chat",
        "http.response.status_code": 200,
      },
    });
    expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([root.traceId]));
    const paths = spans.map((span) => pathOf(spans, span).join(" < "));
    expect(paths).toEqual(
      expect.arrayContaining([
        "reserve_units < reserve < POST /api/chat",
        "store_held_reply < store < POST /api/chat",
        "chat text-model < POST /api/chat",
        "select accounts < POST /api/chat",
      ]),
    );
    expect(find(spans, "store_held_reply").attributes).toEqual({
      "db.system.name": "postgresql",
      "db.response.returned_rows": 1,
    });
    const model = find(spans, "chat text-model");
    expect(model.attributes).toEqual({
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": "openai-compatible",
      "gen_ai.request.model": "text-model",
      "gen_ai.usage.input_tokens": expect.any(Number),
      "gen_ai.usage.output_tokens": expect.any(Number),
      "gen_ai.response.time_to_first_chunk": expect.any(Number),
    });
    expect(model.links).toMatchObject([{ traceId: root.traceId, spanId: root.spanId }]);
    expect(sink.resource).toMatchObject({ "service.name": "soul-hub" });
    expect(sink.text()).not.toMatch(SECRETS);
    const answered = lines.find(({ msg }) => msg === "answered");
    expect(answered).toMatchObject({ route: "/api/chat", trace_id: root.traceId });
  });

  it("of a failed call names the failure by its code", async () => {
    const { spans } = await traceHub({ database }, async (hub) => {
      const { ada, room } = await startSecretRoom(hub);
      hub.provider.failNext({ status: 401, body: "secret-words" });
      expect((await say(ada, room, "secret-question")).status).toBe(502);
    });
    expect(find(spans, "chat text-model")).toMatchObject({
      status: { code: ERROR },
      attributes: { "error.type": "provider_failed" },
    });
    expect(find(spans, "POST /api/chat")).toMatchObject({
      status: { code: ERROR },
      attributes: { "error.type": "502" },
    });
    expect(JSON.stringify(spans)).not.toMatch(SECRETS);
  });
});

describe("traces", () => {
  it("have a span of each call of a socket and of the beginning of rooms.live", async () => {
    const sink = await traceHub({}, async (hub) => {
      const { ada, room } = await startSecretRoom(hub);
      using listener = keepLog({ userAgent: "a listener", url: () => hub.url, room });
      await eventually(() => expect(listener.syncs).toBe(1));
      const socket = new WebSocket(`${hub.url.replace("http", "ws")}/trpc?connectionParams=1`);
      await once(socket, "open");
      const data = { authorization: `Bearer ${ada.apiKey}` };
      socket.send(JSON.stringify({ method: "connectionParams", data }));
      const input = { ...room, content: "secret-question" };
      socket.send(
        JSON.stringify({ id: 1, method: "mutation", params: { path: "chat.send", input } }),
      );
      await eventually(() => expect(listener.ids).toHaveLength(2));
      socket.send(JSON.stringify({ id: 2, method: "query", params: { path: "secret-path" } }));
      await once(socket, "message");
      socket.close();
    });
    const { spans } = sink;
    const roots = spans.filter(({ parentSpanId }) => !parentSpanId).map(({ name }) => name);
    expect(roots.sort()).toEqual(["chat.send", "rooms.live"]);
    const model = find(spans, "chat text-model");
    expect(pathOf(spans, model)).toEqual(["chat text-model", "chat.send"]);
    expect(sink.text()).not.toMatch(SECRETS);
  });

  it("have no span of reads, nor of what timers do after a call", async () => {
    const { spans } = await traceHub({}, async (hub) => {
      const { room } = await startSecretRoom(hub);
      expect((await hub.guest().get(`/api/soul/${room.soul_id}`)).status).toBe(200);
      await hub.guest().get("/readyz");
    });
    expect(spans).toEqual([]);
  });

  it.each([
    ["a trusted proxy", ["127.0.0.1"], true],
    ["anybody else", [], false],
    ["a proxy that is not the sender", ["10.0.0.0/8"], false],
  ])("continue the trace of %s only", async (_, trustProxy, isBelieved) => {
    const { spans } = await traceHub({ trustProxy }, async (hub) => {
      const { ada, room } = await startSecretRoom(hub);
      const body = { ...room, content: "Hello." };
      const headers = { traceparent: `00-${TRACE}-${PARENT}-01`, "x-forwarded-for": "10.0.0.1" };
      expect((await ada.post("/api/chat", body, headers)).status).toBe(200);
    });
    const root = find(spans, "POST /api/chat");
    expect(root.traceId === TRACE).toBe(isBelieved);
    expect(root.parentSpanId === PARENT).toBe(isBelieved);
  });

  it.skipIf(!inject("services").haproxy)(
    "begin at the hub behind the HAProxy of the examples, whatever a client sends",
    async () => {
      const { spans } = await traceHub({ trustProxy: ["127.0.0.1"] }, async (hub) => {
        const { ada, room } = await startSecretRoom(hub);
        const port = Number(new URL(hub.url).port);
        await using proxy = await startHaproxy([port, port]);
        await eventually(async () => {
          expect((await fetch(`${proxy.url}/readyz`)).status).toBe(200);
        });
        const answer = await fetch(`${proxy.url}/api/chat`, {
          method: "POST",
          headers: {
            authorization: `Bearer ${ada.apiKey}`,
            "content-type": "application/json",
            traceparent: `00-${TRACE}-${PARENT}-01`,
          },
          body: JSON.stringify({ ...room, content: "Hello." }),
        });
        expect(answer.status).toBe(200);
      });
      expect(find(spans, "POST /api/chat").traceId).not.toBe(TRACE);
    },
  );

  it("name no model of an account's own key", async () => {
    const { spans } = await traceHub({}, async (hub) => {
      const { ada, room } = await startSecretRoom(hub);
      const own = {
        provider: "openai-compatible",
        base_url: hub.provider.url,
        api_key: "sk-own",
        text_model: "named-by-ada",
      };
      expect((await ada.put("/api/byok", own)).status).toBe(200);
      const body = { ...room, content: "Hello." };
      expect((await ada.post("/api/self-chat", body)).status).toBe(200);
    });
    expect(find(spans, "chat own-key").attributes).toMatchObject({
      "gen_ai.request.model": "own-key",
    });
    expect(JSON.stringify(spans)).not.toContain("named-by-ada");
  });

  it("are not sampled where the proxy did not sample, nor at a ratio of 0", async () => {
    await using sink = await startOtlpSink();
    const never = trace(sink.url, {
      OTEL_TRACES_SAMPLER: "parentbased_traceidratio",
      OTEL_TRACES_SAMPLER_ARG: "0",
    });
    expect(never.tracer.start("a", {}).isRecording).toBe(false);
    const traceparent = `00-${TRACE}-${PARENT}-00`;
    const always = trace(sink.url);
    expect(always.tracer.start("a", { traceparent }).isRecording).toBe(false);
    expect(always.tracer.start("a", { traceparent: "secret" }).isRecording).toBe(true);
    for (const { close } of [never, always]) await close();
    expect(sink.spans).toEqual([]);
  });

  it("keep 2,048 spans for a collector that is away, and count the others", async () => {
    // A collector that accepts connections and never answers.
    const mute = createServer().listen(0, "127.0.0.1");
    await once(mute, "listening");
    const { port } = mute.address() as AddressInfo;
    const tracing = trace(`http://127.0.0.1:${port}`);
    for (let n = 0; n < 5_000; n++) tracing.tracer.start("a", {}).end();
    // The first batch of 512 is on its way.
    expect(tracing.droppedSpans()).toBe(5_000 - 512 - 2_048);
    await tracing.close();
    mute.close();
  });

  it("count the spans that the collector refuses", async () => {
    const lines: string[] = [];
    const log = pino({}, { write: (line: string) => void lines.push(line) });
    const tracing = trace("http://127.0.0.1:9", {}, log);
    tracing.tracer.start("a", {}).end();
    await tracing.close();
    await eventually(() => expect(tracing.droppedSpans()).toBe(1));
    expect(lines.join()).toContain("the collector of traces takes no spans");
  });
});
