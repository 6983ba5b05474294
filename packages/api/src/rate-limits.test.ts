import { describe, expect, it, vi } from "vitest";
import type { Answer } from "./testing/actor.ts";
import { describeHub } from "./testing/describe-chat.ts";
import { openSocket } from "./testing/live-visitor.ts";
import { rawRequest } from "./testing/requests/raw-request.ts";
import { PASSWORD, startTestHub, type TestHub } from "./testing/test-hub.ts";

describeHub("rate limits", { config: { rateLimits: true } }, (hub) => {
  const remaining = ({ headers }: Answer) => Number(headers.get("ratelimit-remaining"));

  it("report the remaining calls per account", async () => {
    const [ada, bob] = [await hub.member("ada"), await hub.member("bob")];
    const first = await ada.get("/api/souls");
    const second = await ada.get("/api/souls");
    expect(first.headers.get("ratelimit-limit")).toBe("1200");
    expect(Number(first.headers.get("ratelimit-reset"))).toBeGreaterThan(0);
    expect(remaining(first) - remaining(second)).toBe(1);
    expect(remaining(await bob.get("/api/souls"))).toBe(remaining(first));
  });

  it("answer 429 with Retry-After beyond the limit, on each transport, and do not affect other accounts", async () => {
    const eve = await hub.member("eve");
    for (let call = 0; call < 240; call++) {
      const { status } = await eve.post("/api/souls", {});
      if (status !== 400) throw new Error(`call ${call} was answered ${status}`);
    }
    const over = await eve.post("/api/souls", { title: "T", content: "C" });
    expect([over.status, over.body.error]).toEqual([429, "rate_limited"]);
    const reported = ["limit", "remaining"].map((name) => over.headers.get(`ratelimit-${name}`));
    expect(reported).toEqual(["240", "0"]);
    expect(over.headers.get("ratelimit-reset")).toBe(over.headers.get("retry-after"));
    expect(Number(over.headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await eve.post("/trpc/souls.publish", { title: "T", content: "C" })).status).toBe(429);
    expect((await eve.get("/api/my-souls")).status).toBe(200);
    const mallory = await hub.member("mallory");
    expect((await mallory.post("/api/souls", { title: "T", content: "C" })).status).toBe(200);
  });

  it("count invalid keys against the address", async () => {
    const before = remaining(await hub.guest().get("/api/souls"));
    await hub.guest().get("/api/souls", { authorization: "Bearer shk_bad" });
    const { status } = await hub.guest().get("/api/souls", { authorization: "Bearer shk_worse" });
    expect(status).toBe(401);
    expect(remaining(await hub.guest().get("/api/souls"))).toBe(before - 3);
  });

  it("count a search as ten reads on each transport", async () => {
    const sam = await hub.member("sam");
    const cost = async (path: string) => {
      const before = remaining(await sam.get("/api/souls"));
      const answer = await sam.get(path);
      expect([path, answer.status]).toEqual([path, 200]);
      return before - remaining(answer);
    };
    const input = encodeURIComponent('{"q":"light"}');
    expect([
      await cost("/api/souls?q=light"),
      await cost(`/trpc/souls.list?input=${input}`),
      await cost("/api/souls?q="),
    ]).toEqual([10, 10, 1]);
  });

  describe("for guests that send the same search at the same time", () => {
    const addressOf = (n: number) => `192.0.2.${n}`;
    const SEARCH = "/api/souls?q=light";
    const startHub = () =>
      startTestHub({ config: { rateLimits: true }, trustProxy: ["127.0.0.1"] });

    /** Sends both searches on one connection, so that they arrive in one turn of the event loop. */
    async function searchTogether(hub: TestHub, guests: [number, number]) {
      const lines = guests.flatMap((n) => [
        `GET ${SEARCH} HTTP/1.1`,
        "host: localhost",
        `x-forwarded-for: ${addressOf(n)}`,
        ...(n === guests[0] ? [""] : ["connection: close"]),
      ]);
      const text = await rawRequest(hub, lines);
      const all = (pattern: RegExp) =>
        [...text.matchAll(pattern)].map(([, value]) => Number(value));
      return { statuses: all(/HTTP\/1\.1 (\d+)/g), left: all(/ratelimit-remaining: (\d+)/g) };
    }

    it("count the search once", async () => {
      await using fresh = await startHub();
      const { statuses, left } = await searchTogether(fresh, [1, 2]);
      expect(statuses).toEqual([200, 200]);
      expect(left).toEqual([1190, 1199]);
    });

    it("refuse one guest alone", async () => {
      await using fresh = await startHub();
      const read = (path: string) => fresh.guest().get(path, { "x-forwarded-for": addressOf(1) });
      // The first guest keeps points for a read, but not for a search.
      let left = remaining(await read("/api/souls"));
      while (left >= 10) left = remaining(await read(SEARCH));
      expect(left).toBeGreaterThan(0);
      expect((await searchTogether(fresh, [1, 2])).statuses).toEqual([429, 200]);
    });
  });

  it("never ask to wait longer than their window, even after the clock was set back", async () => {
    const late = await hub.member("late");
    const clock = vi.spyOn(Date, "now");
    clock.mockReturnValue(Date.now() + 32 * 24 * 3600 * 1000);
    await late.get("/api/souls");
    clock.mockRestore();
    const { headers } = await late.get("/api/souls");
    expect(Number(headers.get("ratelimit-reset"))).toBeLessThanOrEqual(60);
  });

  it("are stricter for registrations", async () => {
    const answers: number[] = [];
    for (let call = 0; call < 31; call++) {
      answers.push((await hub.guest().post("/api/register", {})).status);
    }
    expect(answers.at(-1)).toBe(429);
    expect(answers).toContain(400);
  });

  it("count registrations and forgotten passwords per address, also with an account", async () => {
    await using fresh = await startTestHub({ config: { rateLimits: true } });
    const actors = [await fresh.member("ada"), await fresh.member("bob"), fresh.guest()];
    for (const path of ["/api/register", "/api/forgot-password"]) {
      const left: number[] = [];
      for (const actor of actors) left.push(remaining(await actor.post(path, {})));
      const [first = 0] = left;
      expect([path, ...left]).toEqual([path, first, first - 1, first - 2]);
    }
  });

  it("count each call of a batch and of a socket", async () => {
    await using fresh = await startTestHub({ config: { rateLimits: true } });
    const batch = Array.from({ length: 16 }, () => "accounts.register").join(",");
    const send = () => fresh.guest().post(`/trpc/${batch}?batch=1`, {});
    const codes = (answer: Answer): string[] =>
      answer.body.map((result: { error: { data: { error: string } } }) => result.error.data.error);
    expect(new Set(codes(await send()))).toEqual(new Set(["invalid_input"]));
    const second = codes(await send());
    expect(second.filter((code) => code === "rate_limited")).toHaveLength(2);

    await using socket = openSocket(fresh, fresh.guest());
    const registration = { username: "zoe", password: PASSWORD, email: "zoe@example.org" };
    await expect(socket.client.accounts.register.mutate(registration)).rejects.toMatchObject({
      data: { error: "rate_limited" },
    });
  });

  it("can be turned off", async () => {
    await using open = await startTestHub({ config: { rateLimits: false } });
    expect((await open.guest().get("/api/souls")).headers.get("ratelimit-limit")).toBeNull();
  });
});
