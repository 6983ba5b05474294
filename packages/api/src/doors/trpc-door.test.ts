import { createTRPCClient, httpBatchLink, httpLink, TRPCClientError } from "@trpc/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AppRouter } from "../router.ts";
import { PASSWORD, startTestHub, type TestHub } from "../testing/test-hub.ts";

/** Decisions §6: the same procedures over tRPC, plain JSON, with the failures of REST in `data`. */
describe("tRPC over HTTP", () => {
  let hub: TestHub;
  beforeAll(async () => {
    hub = await startTestHub();
  });
  afterAll(() => hub.close());

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
  /** Signs in as a page does and returns the cookie. */
  async function signIn(username: string, remember = false): Promise<string> {
    const { headers } = await hub
      .guest()
      .post("/trpc/accounts.login", { username, password: PASSWORD, remember });
    return headers.getSetCookie()[0] ?? "";
  }

  it("answers what REST answers, without success", async () => {
    const ada = await hub.member("ada");
    const trpc = client({ authorization: `Bearer ${ada.apiKey}` });
    const published = await trpc.souls.publish.mutate({ title: "One", content: "# One" });
    const { success, ...rest } = (await hub.guest().get(`/api/soul/${published.id}`)).body;
    expect(success).toBe(true);
    expect(await trpc.souls.read.query({ id: published.id })).toEqual(rest);
  });

  it("takes no text for a number, not even after REST has read it as one", async () => {
    await hub.guest().get("/api/souls?limit=3");
    const { status, body } = await hub
      .guest()
      .get(`/trpc/souls.list?input=${encodeURIComponent('{"limit":"3"}')}`);
    expect([status, body.error.data.error]).toEqual([400, "invalid_input"]);
  });

  it("carries code, status and details of a failure in data", async () => {
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

  it("says which methods an address takes", async () => {
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

  it("shows no stack and no cause", async () => {
    const { text } = await hub.guest().get("/trpc/souls.read?input=%7B%7D");
    expect(text).not.toMatch(/stack|node_modules|ZodError/);
  });

  it("takes a session where REST asks for a key, with the browser's word for its origin", async () => {
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

  it("tells a page who is signed in, and null when nobody is", async () => {
    expect((await client().accounts.whoAmI.query()).user).toBeNull();
    const wilma = await hub.member("wilma");
    const { user } = await client({
      authorization: `Bearer ${wilma.apiKey}`,
    }).accounts.whoAmI.query();
    expect(user).toEqual((await wilma.get("/api/me")).body.user);
  });

  it("signs in with a cookie that ends with the browser, or lasts 30 days with remember", async () => {
    await hub.member("rosa");
    expect(await signIn("rosa")).toMatch(
      /^soulhub_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/,
    );
    expect(await signIn("rosa", true)).toContain("Max-Age=2592000");
  });

  it("does not exist for the operator's procedures without the operator's token", async () => {
    expect(
      await failure(client().passes.grant.mutate({ username: "ada", tier: "vip", days: 1 })),
    ).toMatchObject({
      error: "not_found",
      httpStatus: 404,
    });
  });

  it("takes 64 calls in a batch and not 65", async () => {
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
    const answer = await hub
      .guest()
      .send("POST", "/trpc/accounts.register", body, { "content-type": "application/json" });
    expect([answer.status, answer.body.error.data.error]).toEqual([status, error]);
  });

  it("reads JSON alone", async () => {
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

  it("says which credential a 401 asks for", async () => {
    const { status, headers } = await hub.guest().get("/trpc/accounts.me");
    expect([status, headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
  });

  it("knows no other procedure", async () => {
    const { status, body } = await hub.guest().get("/trpc/no.such");
    expect([status, body.error.data.error]).toEqual([404, "not_found"]);
  });
});
