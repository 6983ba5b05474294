import { createTRPCClient, httpBatchLink, httpLink, TRPCClientError } from "@trpc/client";
import { expect, it } from "vitest";
import type { AppRouter } from "../router.ts";
import { describeHub } from "../testing/describe-chat.ts";
import { rawRequest } from "../testing/requests/raw-request.ts";
import { PASSWORD } from "../testing/test-hub.ts";

interface Failure {
  error?: { data: { error: string } };
}

const JSON_BODY = { "content-type": "application/json" };

/**
 * Decisions §6: tRPC serves the same procedures as REST, in plain JSON. The `data` of an error has
 * the fields of a REST error.
 */
describeHub("tRPC over HTTP", {}, (hub) => {
  const client = (headers: Record<string, string> = {}) =>
    createTRPCClient<AppRouter>({ links: [httpLink({ url: `${hub.url}/trpc`, headers })] });
  const failure = async (call: Promise<unknown>) => {
    const error = await call.then(
      () => null,
      (thrown: unknown) => thrown,
    );
    if (!(error instanceof TRPCClientError)) throw new Error("the call did not fail");
    return (error as TRPCClientError<AppRouter>).data;
  };
  /** Logs in as the page does, and returns the cookie. */
  async function signIn(username: string, remember = false): Promise<string> {
    const { headers } = await hub
      .guest()
      .post("/trpc/accounts.login", { username, password: PASSWORD, remember });
    return headers.getSetCookie()[0] ?? "";
  }

  it("returns the answer of REST, without `success`", async () => {
    const ada = await hub.member("ada");
    const trpc = client({ authorization: `Bearer ${ada.apiKey}` });
    const published = await trpc.souls.publish.mutate({ title: "One", content: "# One" });
    const { success, ...rest } = (await hub.guest().get(`/api/soul/${published.id}`)).body;
    expect(success).toBe(true);
    expect(await trpc.souls.read.query({ id: published.id })).toEqual(rest);
  });

  it("refuses a text for a number, also after REST has converted the same parameter", async () => {
    await hub.guest().get("/api/souls?limit=3");
    const { status, body } = await hub
      .guest()
      .get(`/trpc/souls.list?input=${encodeURIComponent('{"limit":"3"}')}`);
    expect([status, body.error.data.error]).toEqual([400, "invalid_input"]);
  });

  it("sends code, status and details of a failure in `data`", async () => {
    expect(await failure(client().souls.read.query({ id: 999_999 }))).toMatchObject({
      error: "soul_not_found",
      httpStatus: 404,
    });
    expect(await failure(client().souls.list.query({ limit: 0 }))).toMatchObject({
      error: "invalid_input",
      httpStatus: 400,
      details: [{ field: "limit", message: expect.any(String) }],
    });
    const { status } = await hub
      .guest()
      .get(`/trpc/souls.read?input=${encodeURIComponent('{"id":999999}')}`);
    expect(status).toBe(404);
  });

  it("names the methods of a URL in Allow", async () => {
    const asked = async (method: string, path: string) => {
      const { status, headers } = await hub
        .guest()
        .send(method, path, method === "POST" ? "{}" : undefined, {
          "content-type": "application/json",
        });
      return [method, status, headers.get("allow")];
    };
    expect([
      await asked("POST", "/trpc/souls.list"),
      await asked("GET", "/trpc/accounts.logout"),
      await asked("PUT", "/trpc/souls.list"),
      await asked("OPTIONS", "/trpc/souls.list"),
    ]).toEqual([
      ["POST", 405, "GET, HEAD"],
      ["GET", 405, "POST"],
      ["PUT", 405, "GET, HEAD, OPTIONS, POST"],
      ["OPTIONS", 204, "GET, HEAD, OPTIONS, POST"],
    ]);
  });

  it("reveals neither stack nor cause of an error", async () => {
    const { text } = await hub.guest().get("/trpc/souls.read?input=%7B%7D");
    expect(text).not.toMatch(/stack|node_modules|ZodError/);
  });

  it("accepts a session where REST requires a key, if the hub's own page sent the call", async () => {
    await hub.member("sven");
    const cookie = (await signIn("sven")).split(";")[0] ?? "";
    const page = client({ cookie, "sec-fetch-site": "same-origin" });
    const elsewhere = client({ cookie, "sec-fetch-site": "cross-site" });
    expect((await page.souls.publish.mutate({ title: "S", content: "C" })).id).toBeGreaterThan(0);
    expect((await page.accounts.me.query()).user.username).toBe("sven");
    expect(
      await failure(elsewhere.souls.publish.mutate({ title: "S", content: "C" })),
    ).toMatchObject({
      error: "csrf_rejected",
      httpStatus: 403,
    });
  });

  it("returns the account of the caller from whoAmI, and null to a guest", async () => {
    expect((await client().accounts.whoAmI.query()).user).toBeNull();
    const wilma = await hub.member("wilma");
    const { user } = await client({
      authorization: `Bearer ${wilma.apiKey}`,
    }).accounts.whoAmI.query();
    expect(user).toEqual((await wilma.get("/api/me")).body.user);
  });

  it("sets a cookie for the browser session at login, and for 30 days with `remember`", async () => {
    await hub.member("rosa");
    expect(await signIn("rosa")).toMatch(
      /^soulhub_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/,
    );
    expect(await signIn("rosa", true)).toContain("Max-Age=2592000");
  });

  it("answers a procedure of the operator with 404 without ADMIN_TOKEN", async () => {
    expect(
      await failure(client().passes.grant.mutate({ username: "ada", tier: "vip", days: 1 })),
    ).toMatchObject({
      error: "not_found",
      httpStatus: 404,
    });
  });

  it("accepts 64 calls in a batch, and refuses 65", async () => {
    const batch = (size: number) => {
      const trpc = createTRPCClient<AppRouter>({
        links: [httpBatchLink({ url: `${hub.url}/trpc` })],
      });
      return Promise.all(Array.from({ length: size }, () => trpc.souls.categories.query()));
    };
    expect(await batch(64)).toHaveLength(64);
    await expect(batch(65)).rejects.toThrow();
  });

  it.each([
    ["malformed JSON", "{", 400, "invalid_json"],
    ["null", "null", 400, "invalid_input"],
    ["deep nesting", `${'{"a":'.repeat(10_000)}1${"}".repeat(10_000)}`, 400, "invalid_input"],
  ])("refuses %s", async (_, body, status, error) => {
    const answer = await hub.guest().send("POST", "/trpc/accounts.register", body, JSON_BODY);
    expect([answer.status, answer.body.error.data.error]).toEqual([status, error]);
  });

  it("refuses bodies of any type but JSON", async () => {
    for (const type of [
      "text/plain",
      "multipart/form-data; boundary=x",
      "application/octet-stream",
    ]) {
      const { status } = await hub
        .guest()
        .send("POST", "/trpc/accounts.register", "{}", { "content-type": type });
      expect([type, status]).toEqual([type, 415]);
    }
  });

  it("names the required credential with a 401", async () => {
    const { status, headers } = await hub.guest().get("/trpc/accounts.me");
    expect([status, headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
  });

  it("answers an unknown procedure with 404", async () => {
    const { status, body } = await hub.guest().get("/trpc/no.such");
    expect([status, body.error.data.error]).toEqual([404, "not_found"]);
  });

  it("limits a body to 64 KB, unless a procedure of the request allows more", async () => {
    const post = (name: string, bytes: number) =>
      hub.guest().post(`/trpc/${name}`, { padding: "x".repeat(bytes) });
    expect((await post("accounts.login", 65 * 1024)).status).toBe(413);
    expect((await post("accounts.login", 63 * 1024)).status).toBe(400);
    expect((await post("chat.send", 65 * 1024)).status).toBe(400);
    const batch = (names: string) => post(`${names}?batch=1`, 65 * 1024);
    expect((await batch("accounts.login,accounts.login")).status).toBe(413);
    expect((await batch("accounts.login,chat.send")).status).toBe(400);
  });

  it("refuses a caller without rights before it reads the body", async () => {
    const answer = await rawRequest(hub, [
      "POST /trpc/souls.publish HTTP/1.1",
      `Host: ${new URL(hub.url).host}`,
      "Content-Type: application/json",
      "Content-Length: 3000000",
    ]);
    expect(answer).toMatch(/^HTTP\/1\.1 401 Unauthorized\r\n/);
    expect(answer).toContain('"error":"unauthenticated"');
  });

  it("refuses a body of more than 10,000 values on every procedure", async () => {
    const ada = await hub.member("ada-of-many-values");
    for (const path of ["/trpc/souls.publish", "/api/souls"]) {
      const { status, text } = await ada.post(path, { title: Array(200_000).fill(1) });
      expect([path, status]).toEqual([path, 400]);
      expect(text).toContain("holds more than 10,000 values");
    }
  });

  it("counts the values of a body before it parses the body", async () => {
    // This body is invalid JSON. If the hub parsed it before counting its values, the error would
    // be `invalid_json`.
    const { status, body } = await hub
      .guest()
      .send("POST", "/trpc/accounts.register", `[${",".repeat(30_000)}`, JSON_BODY);
    const { error, details } = body.error.data;
    expect([status, error]).toEqual([400, "invalid_input"]);
    expect(details[0].message).toBe("holds more than 10,000 values");
  });

  it("refuses a body that is not UTF-8, as REST does", async () => {
    const ada = await hub.member("ada-of-latin-1");
    const body = new Uint8Array(Buffer.from('{"title":"caf\xe9","content":"C"}', "latin1"));
    for (const path of ["/trpc/souls.publish", "/api/souls"]) {
      const { status, text } = await ada.send("POST", path, body, JSON_BODY);
      expect([path, status]).toEqual([path, 400]);
      expect(text).toContain('"error":"invalid_json"');
    }
  });

  it("keeps the error of a call that was refused before the body was read", async () => {
    const ada = await hub.member("ada-of-two-errors");
    const body = new Uint8Array(Buffer.from('{"0":{},"1":{"title":"caf\xe9"}}', "latin1"));
    const path = "/trpc/passes.grant,souls.publish?batch=1";
    const answer = await ada.send("POST", path, body, JSON_BODY);
    const codes = answer.body.map(({ error }: Failure) => error?.data.error);
    expect(codes).toEqual(["not_found", "invalid_json"]);
  });

  it.each(["batch=1", "batch=1&batch=1", "batch=1&batch=2"])(
    "checks the caller of every call of a batch with ?%s",
    async (batch) => {
      const input = encodeURIComponent('{"0":{},"1":{}}');
      const path = `/trpc/usage.report,souls.list?${batch}&input=${input}`;
      const { body } = await hub.guest().get(path);
      const codes = body.map(({ error }: Failure) => error?.data.error);
      expect(codes).toEqual(["not_found", undefined]);
    },
  );

  it("answers HEAD like GET, without the body", async () => {
    const ask = async (method: string, path: string) => {
      const { status, headers, text } = await hub.guest().send(method, path, undefined, {});
      return [status, headers.get("content-type"), headers.get("cache-control"), text.length > 0];
    };
    for (const path of ["/trpc/souls.categories", "/trpc/accounts.me", "/trpc/no.such"]) {
      const [status, type, cache] = await ask("GET", path);
      expect([path, await ask("HEAD", path)]).toEqual([path, [status, type, cache, false]]);
    }
    expect((await ask("HEAD", "/trpc/rooms.live?input=%7B%7D"))[0]).toBeLessThan(500);
  });

  it("answers other requests between the calls of a batch", async () => {
    const ended: string[] = [];
    const names = Array(64).fill("souls.list").join(",");
    const inputs = Object.fromEntries(
      Array.from({ length: 64 }, (_, n) => [n, { q: `one two three ${n}` }]),
    );
    const batch = async () => {
      const input = encodeURIComponent(JSON.stringify(inputs));
      const { status } = await hub.guest().get(`/trpc/${names}?batch=1&input=${input}`);
      ended.push(`batch ${status}`);
    };
    const health = async () => {
      await hub.guest().get("/healthz");
      ended.push("health");
    };
    await Promise.all([batch(), health()]);
    expect(ended).toEqual(["health", "batch 200"]);
  });
});
