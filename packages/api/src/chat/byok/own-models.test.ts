import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { inspect } from "node:util";
import { afterEach, describe, expect, it } from "vitest";
import type { RemoteProvider } from "../models/model-id.ts";
import { modelRequest, readReply } from "../models/models.fixture.ts";
import { hostAndPort } from "./allowed-hosts.ts";
import type { OwnKey } from "./check-key.ts";
import { createOwnModels } from "./own-models.ts";

interface Seen {
  path: string;
  headers: IncomingHttpHeaders;
}
type Answers = (path: string) => { status: number; body?: string; type?: string } | "nothing";

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

/** Starts one local server for all providers and records its requests. */
async function providersAt(answers: Answers, timeoutMs = 5_000) {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    const { url: path = "", headers } = request;
    seen.push({ path, headers });
    const answer = answers(path);
    if (answer === "nothing") return;
    const { status, body = "{}", type = "application/json" } = answer;
    response.writeHead(status, { "content-type": type }).end(body);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const models = createOwnModels({
    allowedHosts: [hostAndPort(new URL(url))],
    timeoutMs,
    retryDelayMs: 0,
    baseUrls: { openai: url, anthropic: url, google: url },
  });
  const keyFor = (provider: RemoteProvider, textModel: string | null = "a-model"): OwnKey => ({
    provider,
    apiKey: "k-secret",
    baseUrl: provider === "openai-compatible" ? url : null,
    textModel,
    visionModel: null,
  });
  return { seen, models, keyFor };
}

const signal = new AbortController().signal;
const GOOGLE_REFUSAL = JSON.stringify({
  error: {
    code: 400,
    message: "API key not valid. Please pass a valid API key.",
    status: "INVALID_ARGUMENT",
    details: [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "API_KEY_INVALID" }],
  },
});

describe("checking a key", () => {
  it.each([
    ["openai", "/v1/models", { authorization: "Bearer k-secret" }],
    ["openai-compatible", "/v1/models", { authorization: "Bearer k-secret" }],
    [
      "anthropic",
      "/v1/models?limit=1",
      { "x-api-key": "k-secret", "anthropic-version": "2023-06-01" },
    ],
    ["google", "/v1/models?pageSize=1", { "x-goog-api-key": "k-secret" }],
  ] as const)(
    "calls %s once, with that provider's path and headers",
    async (name, path, headers) => {
      const { models, keyFor, seen } = await providersAt(() => ({ status: 200 }));
      await models.check(keyFor(name), signal);
      expect(seen).toEqual([{ path, headers: expect.objectContaining(headers) }]);
    },
  );

  it.each([
    ["openai", { status: 401 }],
    ["openai-compatible", { status: 401 }],
    ["anthropic", { status: 401 }],
    ["google", { status: 400, body: GOOGLE_REFUSAL }],
    // The provider refuses both the list of models and the reply of one token.
    ["openai", { status: 403 }],
  ] as const)("rejects it if %s responds with %o", async (name, answer) => {
    const { models, keyFor } = await providersAt(() => answer);
    await expect(models.check(keyFor(name), signal)).rejects.toMatchObject({
      code: "byok_key_rejected",
      status: 400,
    });
  });

  it.each([
    ["denies the list but replies", 403, { status: 200, body: completion() }],
    ["reports missing credit", 403, { status: 402 }],
    ["finds one token too short", 404, { status: 400 }],
  ] as const)("accepts it if the provider %s", async (_, list, reply) => {
    const { models, keyFor, seen } = await providersAt((path) =>
      path.endsWith("/models") ? { status: list } : reply,
    );
    await models.check(keyFor("openai"), signal);
    expect(seen.map(({ path }) => path)).toEqual(["/v1/models", "/v1/chat/completions"]);
  });

  it.each([
    ["google responds with another 400", "google", { status: 400, body: "{}" }],
    ["the provider responds with 429", "openai", { status: 429 }],
    ["the provider responds with 529", "anthropic", { status: 529 }],
    ["the list does not exist", "openai-compatible", { status: 404 }],
    ["the response is not JSON", "openai-compatible", { status: 200, body: "<html>" }],
  ] as const)("is inconclusive if %s", async (_, name, answer) => {
    const { models, keyFor } = await providersAt(() => answer);
    await expect(models.check(keyFor(name), signal)).rejects.toMatchObject({
      code: "provider_failed",
      status: 502,
    });
  });

  it("throws the signal's reason", async () => {
    const { models, keyFor } = await providersAt(() => ({ status: 200 }));
    const gone = new Error("gone");
    await expect(models.check(keyFor("openai"), AbortSignal.abort(gone))).rejects.toBe(gone);
  });
});

describe("calling with a key", () => {
  it.each([
    ["openai", { status: 401 }],
    ["openai", { status: 403 }],
    ["anthropic", { status: 401 }],
    ["google", { status: 400, body: GOOGLE_REFUSAL }],
    ["openai-compatible", { status: 401 }],
  ] as const)("throws byok_key_rejected if %s responds with %o", async (name, answer) => {
    const { models, keyFor, seen } = await providersAt(() => answer);
    const port = models.modelsOf(keyFor(name), "key of ada");
    await expect(readReply(port, modelRequest())).rejects.toMatchObject({
      code: "byok_key_rejected",
      status: 403,
    });
    expect(seen).toHaveLength(1);
  });

  it("throws provider_failed if google responds with another 400", async () => {
    const { models, keyFor } = await providersAt(() => ({ status: 400, body: "{}" }));
    const port = models.modelsOf(keyFor("google"), "key of ada");
    await expect(readReply(port, modelRequest())).rejects.toMatchObject({
      code: "provider_failed",
    });
  });

  it("throws provider_timeout after the operator's time limit", async () => {
    const { models, keyFor } = await providersAt(() => "nothing", 50);
    const port = models.modelsOf(keyFor("openai"), "key of ada");
    await expect(readReply(port, modelRequest())).rejects.toMatchObject({
      code: "provider_timeout",
    });
  });

  it("has one circuit breaker per key, which outlives the call", async () => {
    const { models, keyFor, seen } = await providersAt(() => ({ status: 500 }));
    const call = (keyName: string) =>
      readReply(models.modelsOf(keyFor("openai"), keyName), modelRequest()).catch((error) => error);
    for (let n = 0; n < 5; n++) await call("key of ada");
    const requests = seen.length;
    expect(await call("key of ada")).toMatchObject({ code: "provider_failed", retryAfter: 10 });
    expect(seen.length).toBe(requests);
    await call("key of ben");
    expect(seen.length).toBe(requests + 2);
  });

  it("reads an error in a stream as the status that it tells", async () => {
    let error: object = { message: "own words", type: "authentication_error" };
    const { models, keyFor, seen } = await providersAt(() => ({
      status: 200,
      type: "text/event-stream",
      body: `data: ${JSON.stringify({ error })}\n\n`,
    }));
    const call = () =>
      readReply(models.modelsOf(keyFor("openai-compatible"), "key of ada"), modelRequest());
    await expect(call()).rejects.toMatchObject({ code: "byok_key_rejected" });
    error = { message: "own words", code: 400 };
    for (let n = 1; n <= 6; n++) {
      await expect(call()).rejects.toMatchObject({
        code: "provider_failed",
        message: "The provider refused the request.",
      });
    }
    expect(seen).toHaveLength(7);
  });

  it("throws errors without key, prompt or the provider's text", async () => {
    const { models, keyFor } = await providersAt(() => ({ status: 401, body: '{"own":"words"}' }));
    const error: unknown = await readReply(
      models.modelsOf(keyFor("openai"), "key of ada"),
      modelRequest(),
    ).catch((thrown) => thrown);
    expect(inspect(error, { depth: 20, showHidden: true })).not.toMatch(
      /k-secret|PROMPT-SECRET|words/,
    );
  });
});

function completion(): string {
  const message = { role: "assistant", content: "Hi" };
  return JSON.stringify({
    id: "1",
    object: "chat.completion",
    created: 1,
    model: "a-model",
    choices: [{ index: 0, message, finish_reason: "length" }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  });
}
