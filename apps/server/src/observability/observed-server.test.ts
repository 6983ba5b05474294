import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { freePort, openRoom, say } from "@soul-hub/api/testing";
import { afterAll, beforeAll, expect, it } from "vitest";
import { answerWhileStarting } from "../starting-server.ts";
import { openAccount } from "../testing/open-account.fixture.ts";
import { makePlace } from "../testing/server-place.fixture.ts";
import { startServerProcess } from "../testing/server-process.fixture.ts";
import { startOtlpSink } from "./otlp-sink.fixture.ts";

const ADMIN_TOKEN = "admin-token-of-this-test";
let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), "soul-hub-observed-"));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

/**
 * NODE_OPTIONS that list in a file the modules of OpenTelemetry that a process loads. Its API alone
 * is always there, because prom-client loads it.
 */
const recordLoading = (file: string) => {
  const script = `import{registerHooks}from"node:module";import{appendFileSync}from"node:fs";registerHooks({load(url,context,next){if(/@opentelemetry\\/(?!api\\/)/.test(url))appendFileSync(${JSON.stringify(file)},url+"\\n");return next(url,context)}})`;
  return `--import=data:text/javascript,${encodeURIComponent(script)}`;
};

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

it("loads nothing of OpenTelemetry without OTEL_EXPORTER_OTLP_ENDPOINT", async () => {
  const file = path.join(directory, "loaded");
  const NODE_OPTIONS = recordLoading(file);
  await using place = await makePlace();
  {
    await using server = await startServerProcess({ ...place.env, NODE_OPTIONS });
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
    expect(server.greeting).not.toContain("traces");
    await server.stop();
  }
  await expect(readFile(file, "utf8")).rejects.toThrow("ENOENT");
  await using sink = await startOtlpSink();
  await using traced = await startServerProcess({
    ...place.env,
    NODE_OPTIONS,
    OTEL_EXPORTER_OTLP_ENDPOINT: sink.url,
  });
  expect(await readFile(file, "utf8")).toContain("exporter-trace-otlp-http");
  await traced.stop();
});

it("exports traces by the standard variables, and its last ones when it stops", async () => {
  await using sink = await startOtlpSink();
  await using place = await makePlace();
  await using server = await startServerProcess({
    ...place.env,
    ADMIN_TOKEN,
    OTEL_EXPORTER_OTLP_ENDPOINT: `${sink.url}/`,
    OTEL_EXPORTER_OTLP_HEADERS: "x-collector-key=abc",
    OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test",
    OTEL_SERVICE_NAME: "hub-of-a-test",
    OTEL_TRACES_SAMPLER: "always_on",
  });
  const ada = await openAccount(server, ADMIN_TOKEN, "ada");
  const room = await openRoom(ada);
  expect((await say(ada, room, "Hello.")).status).toBe(200);
  expect(await server.stop()).toBe(0);
  expect(sink.spans.map(({ name }) => name)).toEqual(
    expect.arrayContaining(["POST /api/chat", "reserve_units", "chat offline", "store_held_reply"]),
  );
  expect(sink.headers["x-collector-key"]).toBe("abc");
  expect(sink.resource).toMatchObject({
    "service.name": "hub-of-a-test",
    "deployment.environment.name": "test",
  });
});

it("serves metrics on METRICS_PORT alone, with the token there, too", async () => {
  await using place = await makePlace();
  const port = await freePort();
  await using server = await startServerProcess({
    ...place.env,
    ADMIN_TOKEN,
    METRICS_PORT: String(port),
  });
  const own = `http://127.0.0.1:${port}`;
  const answers = await Promise.all([
    fetch(`${server.url}/metrics`, bearer(ADMIN_TOKEN)),
    fetch(`${own}/metrics`),
    fetch(`${own}/metrics`, bearer("wrong-admin-token")),
    fetch(`${own}/api/souls`),
    fetch(`${own}/metrics`, bearer(ADMIN_TOKEN)),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 200]);
  expect(await answers[4]?.text()).toContain("soulhub_build_info{");
  expect(await server.stop()).toBe(0);
});

it("answers 503 at /readyz while it starts, and gives the port to the hub", async () => {
  const port = await freePort();
  const where = { port, host: "127.0.0.1" };
  const url = `http://127.0.0.1:${port}`;
  const starting = await answerWhileStarting(where, "1.2.3");
  const [alive, ready, call] = await Promise.all(
    ["/healthz", "/readyz", "/api/souls"].map((route) => fetch(url + route)),
  );
  expect([alive?.status, await alive?.json()]).toEqual([200, { status: "ok", version: "1.2.3" }]);
  expect([ready?.status, await ready?.json()]).toEqual([
    503,
    { status: "unavailable", database: "migrating" },
  ]);
  expect([call?.status, call?.headers.get("retry-after")]).toEqual([503, "5"]);
  expect(await call?.json()).toMatchObject({ success: false, error: "overloaded" });
  await starting[Symbol.asyncDispose]();
  const next = createServer().listen(port, "127.0.0.1");
  await once(next, "listening");
  expect((next.address() as AddressInfo).port).toBe(port);
  next.close();
});
