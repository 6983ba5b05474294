import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { text as readText } from "node:stream/consumers";
import { beforeAll, expect, it } from "vitest";
import type { Actor } from "../../testing/actor.ts";
import { openRoom } from "../../testing/chat-hub.ts";
import { describeChat } from "../../testing/describe-chat.ts";

/** How `/mcp` reads the header Accept (RFC 9110, 12.5.1). */
describeChat("an answer of /mcp", {}, (hub) => {
  let vera: Actor;
  let soul_id: number;
  beforeAll(async () => {
    vera = await hub.vip("vera");
    soul_id = (await openRoom(vera)).soul_id;
  });

  const listTools = { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} };
  const talk = {
    jsonrpc: "2.0",
    id: 2,
    method: "tools/call",
    params: {
      name: "talk_to_soul",
      arguments: { soul_id: 0, message: "Is it dark?" },
      _meta: { progressToken: "p" },
    },
  };
  const present = { "mcp-protocol-version": "2026-07-28" };
  /** The message as clients of the present revision send it. */
  const asPresent = (message: typeof listTools) => ({
    message: {
      ...message,
      params: {
        ...message.params,
        _meta: {
          "io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientInfo": { name: "test", version: "1.0.0" },
          "io.modelcontextprotocol/clientCapabilities": {},
        },
      },
    },
    headers: { ...present, "mcp-method": message.method },
  });

  /** @param accept null sends no header, which `fetch` always sends */
  async function post(message: object, accept: string | null, more: object = {}) {
    const asked = request(`${hub.url}/mcp`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        authorization: `Bearer ${vera.apiKey}`,
        ...(accept !== null && { accept }),
        ...more,
      },
    });
    asked.end(JSON.stringify(message));
    const [response] = (await once(asked, "response")) as [IncomingMessage];
    const text = await readText(response);
    const type = response.headers["content-type"]?.replace(/;.*/, "");
    const body = type === json ? JSON.parse(text) : undefined;
    return { status: response.statusCode, type, text, body };
  }

  const [json, stream] = ["application/json", "text/event-stream"];
  const either = expect.stringMatching(/^(application\/json|text\/event-stream)$/);
  it.each<[string | null, unknown]>([
    [null, either],
    ["*/*", either],
    ["", either],
    ["application/*, text/*", either],
    ["Application/JSON, Text/Event-Stream", either],
    ["application/json, text/event-stream", either],
    [json, json],
    ["application/json;charset=utf-8, text/html", json],
    ["application/json, text/event-stream;q=0.5", json],
    ["application/json, text/event-stream;q=0", json],
    [stream, stream],
    ["TEXT/*", stream],
    ["application/json;q=0, */*;q=0.1", stream],
  ])("has a form that Accept allows: %j", async (accept, type) => {
    const now = asPresent(listTools);
    const answers = [await post(listTools, accept), await post(now.message, accept, now.headers)];
    for (const answer of answers) {
      expect(answer).toMatchObject({ status: 200, type });
      expect(answer.text).toContain("search_souls");
    }
  });

  it.each(["text/html", "image/*", "application/json;q=0, text/event-stream;q=0"])(
    "is 406 for %j",
    async (accept) => {
      const { status, body } = await post(listTools, accept);
      expect([status, body.error.code]).toEqual([406, -32_000]);
    },
  );

  it("is one JSON object without the progress, or a list for a batch", async () => {
    const { params } = talk;
    const message = { ...talk, params: { ...params, arguments: { ...params.arguments, soul_id } } };
    const { body } = await post(message, json);
    expect(body).toMatchObject({
      id: 2,
      result: { structuredContent: { reply: expect.any(String) } },
    });
    const former = { "mcp-protocol-version": "2025-03-26" };
    const batch = await post([listTools, { ...listTools, id: 3 }], json, former);
    expect(batch.body.map(({ id }: { id: number }) => id).sort()).toEqual([1, 3]);
    const one = await post([listTools], json, former);
    expect(one.body).toMatchObject([{ id: 1 }]);
  });

  it("is a stream for a client that listens, and never JSON", async () => {
    const listen = asPresent({ ...listTools, method: "subscriptions/listen" });
    expect((await post(listen.message, json, listen.headers)).status).toBe(406);
  });
});
