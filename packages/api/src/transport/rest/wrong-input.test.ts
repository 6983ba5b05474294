import { connect } from "node:net";
import { sql } from "kysely";
import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { type Actor, type Answer, createActor } from "../../testing/actor.ts";
import { describeHub } from "../../testing/describe-chat.ts";
import { ADMIN_TOKEN } from "../../testing/test-hub.ts";
import { hasJsonBody, type RestEndpoint, restEndpoints } from "./rest-endpoints.ts";

const endpoints = restEndpoints();
/** souls/exchange/exchange.test.ts sends wrong files to the endpoints that take one. */
const takesQuery = (endpoint: RestEndpoint) => !hasJsonBody(endpoint) && !endpoint.takesFile;
const label = ({ method, path }: RestEndpoint) => `${method} /api${path}`;
const pathOf = ({ path }: RestEndpoint, id: unknown = 1) =>
  `/api${path.replace(/\{\w+\}/, encodeURIComponent(String(id)))}`;

const deep = (levels: number) => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;

/** Values that every field refuses, whatever its type. */
const hostile: [string, unknown][] = [
  ["an array", []],
  ["an object", {}],
  ["a text with NUL", "a\u0000b"],
  ["a lone surrogate", "\udc00"],
  ["a huge number", 1e308],
  ["a number beyond 2^53", 2 ** 53],
  ["a negative number", -1],
  ["a fraction", 0.5],
];

/** Wrong input to any endpoint gives a failure body, never a 500, and writes nothing (decisions §1). */
describeHub("wrong input", {}, (hub) => {
  let actor: Actor;
  const authorize = ({ access }: RestEndpoint): Record<string, string> =>
    access === "admin" || access === "adminOrOperator"
      ? { authorization: `Bearer ${ADMIN_TOKEN}` }
      : {};
  const rows = async () => {
    const tables = [
      "accounts",
      "souls",
      "soul_versions",
      "likes",
      "ratings",
      "domain_tags",
      "chat_rooms",
      "chat_messages",
      "quota_holds",
    ];
    const counts = tables.map((table) => `(select count(*) from ${table})`);
    return (
      await sql.raw(`select ${counts.join(" || '/' || ")} as counts`).execute(hub.hub.database.db)
    ).rows;
  };
  beforeAll(async () => {
    actor = await hub.vip("ada");
    // An admin may call the endpoints of the staff, too.
    const operator = createActor({
      name: "operator",
      apiKey: ADMIN_TOKEN,
      baseUrl: () => hub.url,
    });
    await operator.put("/api/admin/role", { username: "ada", role: "admin" });
    await actor.post("/api/souls", { title: "Target", content: "text" });
  });

  function expectFailure(answer: Answer, status: number, error: string) {
    expect([answer.status, answer.body?.error]).toEqual([status, error]);
    expect(answer.body).toMatchObject({
      success: false,
      message: expect.any(String),
      request_id: answer.headers.get("x-request-id"),
    });
    const known = ["success", "error", "message", "request_id", "details"];
    expect(Object.keys(answer.body).filter((key) => !known.includes(key))).toEqual([]);
    expect(answer.text).not.toMatch(/node_modules|\bat \w+ \(|select |insert |ZodError/i);
  }

  const sendRaw = (
    endpoint: RestEndpoint,
    body: string | Uint8Array<ArrayBuffer>,
    type = "application/json",
  ) =>
    actor.send(endpoint.method, pathOf(endpoint), body, {
      ...authorize(endpoint),
      "content-type": type,
    });

  describe.each(
    endpoints.filter(hasJsonBody).map((endpoint) => [label(endpoint), endpoint] as const),
  )("%s", (_, endpoint) => {
    const hasFields = Object.keys(endpoint.input.shape).length > 0;

    it.each([
      ["malformed JSON", "{", 400, "invalid_json"],
      ["JSON with a trailing comma", '{"a":1,}', 400, "invalid_json"],
      ["bytes that are no UTF-8", new Uint8Array([0x22, 0xff, 0xfe, 0x22]), 400, "invalid_json"],
      ["null", "null", 400, "invalid_input"],
      ["an array", "[]", 400, "invalid_input"],
      ["a text", '"x"', 400, "invalid_input"],
      ["nesting 33 deep", deep(33), 400, "invalid_input"],
      ["nesting 10,000 deep", deep(10_000), 400, "invalid_input"],
      ["10 MB", `{"a":"${"x".repeat(10_000_000)}"}`, 413, "body_too_large"],
    ])("refuses %s", async (_label, body, status, error) => {
      const before = await rows();
      expectFailure(await sendRaw(endpoint, body), status, error);
      expect(await rows()).toEqual(before);
    });

    it.each([
      "text/plain",
      "application/x-www-form-urlencoded",
      "multipart/form-data; boundary=x",
      "application/xml",
      "",
    ])("refuses the content type %j", async (type) => {
      expectFailure(await sendRaw(endpoint, "{}", type), 415, "unsupported_media_type");
    });

    if (!hasFields) return;
    it("refuses each field when it is hostile, and writes nothing", async () => {
      const before = await rows();
      for (const field of Object.keys(endpoint.input.shape)) {
        if (endpoint.path.includes(`{${field}}`)) continue;
        for (const [what, value] of hostile) {
          const answer = await sendRaw(endpoint, JSON.stringify({ [field]: value }));
          expect([field, what, answer.status, answer.body.error]).toEqual([
            field,
            what,
            400,
            "invalid_input",
          ]);
          expectFailure(answer, 400, "invalid_input");
        }
      }
      expect(await rows()).toEqual(before);
    });
  });

  describe.each(
    endpoints
      .filter((endpoint) => takesQuery(endpoint) && Object.keys(endpoint.input.shape).length > 0)
      .map((endpoint) => [label(endpoint), endpoint] as const),
  )("%s", (_, endpoint) => {
    it("refuses each parameter when it is hostile", async () => {
      const before = await rows();
      for (const [field, type] of Object.entries(endpoint.input.shape)) {
        const isText = z.toJSONSchema(type as z.ZodType, { io: "input" }).type === "string";
        const values = isText
          ? ["a\u0000b"]
          : ["1e9999", "-1", "0.5", "NaN", "9007199254740992", "[]", "{}", "x", "\u0000"];
        for (const value of values) {
          const query = new URLSearchParams({ [field]: value });
          const inPath = endpoint.path.includes(`{${field}}`);
          const url = inPath ? pathOf(endpoint, value) : `${pathOf(endpoint)}?${query}`;
          const answer = await actor.send(endpoint.method, url, undefined, authorize(endpoint));
          expect([url, answer.status]).toEqual([url, 400]);
          expectFailure(answer, 400, "invalid_input");
        }
      }
      expect(await rows()).toEqual(before);
    });
  });

  describe.each(
    [...Map.groupBy(endpoints, ({ path }) => path)].map(([path, of]) => [path, of] as const),
  )("/api%s", (_, of) => {
    const url = pathOf(of[0] as RestEndpoint);
    const known = new Set<string>(of.map(({ method }) => method));
    if (known.has("GET")) known.add("HEAD");

    it("returns 405 and Allow for other methods", async () => {
      for (const method of ["GET", "POST", "PUT", "DELETE", "PATCH", "PROPFIND", "SUBSCRIBE"]) {
        if (known.has(method)) continue;
        const answer = await actor.send(method, url, method === "GET" ? undefined : "{", {
          "content-type": "application/json",
        });
        expectFailure(answer, 405, "method_not_allowed");
        expect(answer.headers.get("allow")?.split(", ").sort()).toEqual(
          [...known, "OPTIONS"].sort(),
        );
      }
    });

    it("returns 204 and Allow for OPTIONS", async () => {
      const { status, headers, text } = await hub.guest().send("OPTIONS", url);
      expect([status, text]).toEqual([204, ""]);
      expect(headers.get("allow")?.split(", ").sort()).toEqual([...known, "OPTIONS"].sort());
    });
  });

  it("returns the status and headers of GET for HEAD", async () => {
    const get = await hub.guest().get("/api/categories");
    const head = await hub.guest().send("HEAD", "/api/categories");
    expect([head.status, head.text]).toEqual([200, ""]);
    expect(head.headers.get("content-length")).toBe(get.headers.get("content-length"));
  });

  it.each(["/api", "/api/", "/api/nothing", "/api/soul", "/api/souls/", "/API/souls"])(
    "answers %s with 404",
    async (path) => {
      expectFailure(await actor.get(path), 404, "not_found");
    },
  );

  it.each(["/api/souls?q=%", "/api/souls?q=%zz", "/api/soul/%E0%A4%A", "/api/soul/%"])(
    "refuses the badly encoded %s",
    async (path) => {
      const answer = await rawGet(path);
      expectFailure(answer, 400, "invalid_input");
      expect(answer.body.message).toContain("percent-encoding");
      // CORS headers are also set on errors that occur before routing.
      expect(answer.headers.get("access-control-allow-origin")).toBe("*");
    },
  );

  it("refuses compressed bodies", async () => {
    const packed = { "content-type": "application/json", "content-encoding": "gzip" };
    const answer = await actor.send("POST", "/api/souls", new Uint8Array([0x1f, 0x8b, 8]), packed);
    expectFailure(answer, 415, "unsupported_media_type");
    const plain = { "content-type": "application/json", "content-encoding": "identity" };
    const { status } = await actor.send("POST", "/api/like", '{"soul_id": 1}', plain);
    expect(status).toBe(200);
  });

  it("exposes the headers of a failure to other origins", async () => {
    for (const path of ["/api/souls?limit=0", "/api/nothing", "/api/me", "/api/souls?q=%"]) {
      const { headers } = await rawGet(path);
      expect([path, headers.get("access-control-allow-origin")]).toEqual([path, "*"]);
      expect(headers.get("access-control-expose-headers")).toContain("WWW-Authenticate");
      expect(headers.get("access-control-allow-credentials")).toBeNull();
    }
  });

  it("refuses a URL of 9,000 characters", async () => {
    expectFailure(await actor.get(`/api/souls?q=${"x".repeat(9_000)}`), 414, "uri_too_long");
  });

  it("refuses 20 KB of headers", async () => {
    const answer = await rawExchange(
      `GET /api/souls HTTP/1.1\r\nHost: localhost\r\nX-A: ${"a".repeat(20_000)}\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 431 /);
    expect(answer).toContain('"error":"headers_too_large"');
  });

  it.each([
    "FOO /api/souls HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "not http at all\r\n\r\n",
    "\u0016\u0003\u0001\u0002",
  ])("answers bytes that are not HTTP, %j, with bad_request", async (bytes) => {
    const answer = await rawExchange(bytes);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toContain('"error":"bad_request"');
  });

  it("uses the client's request id only if it is safe to log", async () => {
    const given = await actor.get("/api/nothing", { "x-request-id": "client-id_0001" });
    expect([given.headers.get("x-request-id"), given.body.request_id]).toEqual([
      "client-id_0001",
      "client-id_0001",
    ]);
    for (const unsafe of ["short", "has space in it", "x".repeat(65), '{"json":1}']) {
      const { headers } = await actor.get("/api/souls", { "x-request-id": unsafe });
      expect(headers.get("x-request-id")).toMatch(/^[\w-]{36}$/);
    }
  });

  /** Sends the URL unchanged, where fetch would normalise it. */
  async function rawGet(path: string): Promise<Answer> {
    const text = await rawExchange(
      `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
    );
    const [head = "", body = ""] = text.split("\r\n\r\n");
    const [first = "", ...lines] = head.split("\r\n");
    return {
      status: Number(first.split(" ")[1]),
      headers: new Headers(
        lines.map((line): [string, string] => [
          line.split(": ")[0] ?? "",
          line.split(": ")[1] ?? "",
        ]),
      ),
      text: body,
      body: JSON.parse(body),
    };
  }

  function rawExchange(bytes: string): Promise<string> {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    let received = "";
    const socket = connect(Number(new URL(hub.url).port), "127.0.0.1", () =>
      socket.write(bytes, "latin1"),
    );
    socket.on("data", (data) => {
      received += data;
    });
    socket.on("close", () => resolve(received)).on("error", reject);
    return promise;
  }
});
