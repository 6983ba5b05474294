import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createApp } from "../../app.ts";
import { createActor } from "../../testing/actor.ts";
import { PASSWORD, startTestHub, type TestHub } from "../../testing/test-hub.ts";
import { createLoginThrottle } from "./login-throttle.ts";

const WINDOW_MS = 15 * 60_000;
const failed = async () => false;
const right = async () => true;
const never = () => Promise.reject(new Error("was checked"));

/** Login throttling (0008): only failures count, and the owner is not locked out. */
describe("login throttling", () => {
  const start = () => {
    const clock = { ms: 1_000 };
    const throttle = createLoginThrottle(() => clock.ms);
    const attempt = (name: string, ipHash: string, check: () => Promise<boolean>) =>
      throttle.guard({ name, ipHash }, check).then(
        (isRight) => (isRight ? "right" : "wrong"),
        (error) => (error.code === "rate_limited" ? error.retryAfter : error),
      );
    const fail = async (times: number, name: string, ipHash: string) => {
      for (let n = 0; n < times; n++) await attempt(name, ipHash, failed);
    };
    return { clock, attempt, fail };
  };

  it("refuses attempts for 15 minutes after ten wrong passwords", async () => {
    const { clock, attempt, fail } = start();
    await fail(9, "ada", "there");
    clock.ms += 60_000;
    expect(await attempt("ada", "there", failed)).toBe("wrong");
    expect(await attempt("ada", "there", never)).toBe(14 * 60);
    expect(await attempt("ada", "there", right)).toBe(14 * 60);
    clock.ms += WINDOW_MS - 60_000 - 1;
    expect(await attempt("ada", "there", right)).toBe(1);
    clock.ms += 1;
    expect(await attempt("ada", "there", right)).toBe("right");
  });

  it("does not count successes", async () => {
    const { attempt } = start();
    for (let n = 0; n < 150; n++) expect(await attempt("ada", "home", right)).toBe("right");
    for (let n = 0; n < 150; n++) expect(await attempt(`name-${n}`, "home", right)).toBe("right");
  });

  it("resets the count after a success", async () => {
    const { attempt, fail } = start();
    for (let n = 0; n < 5; n++) {
      await fail(9, "ada", "home");
      expect(await attempt("ada", "home", right)).toBe("right");
    }
  });

  it("does not lock out the owner by guesses from other addresses", async () => {
    const { attempt, fail } = start();
    for (let n = 0; n < 300; n++) await fail(10, "ada", `elsewhere-${n}`);
    expect(await attempt("ada", "home", right)).toBe("right");
  });

  it("counts failures per address, also with successes in between", async () => {
    const { attempt, fail } = start();
    for (let n = 0; n < 100; n++) {
      await fail(1, `name-${n}`, "there");
      if (n < 99) expect(await attempt("guesser", "there", right)).toBe("right");
    }
    expect(await attempt("newcomer", "there", never)).toBe(15 * 60);
    expect(await attempt("newcomer", "elsewhere", right)).toBe("right");
  });

  it("allows known sign-ins from an address over its limit", async () => {
    const { attempt, fail } = start();
    await attempt("ada", "office", right);
    for (let n = 0; n < 100; n++) await fail(1, `name-${n}`, "office");
    expect(await attempt("ada", "office", right)).toBe("right");
  });

  it("limits concurrent guesses like sequential ones", async () => {
    const { attempt } = start();
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, n) => attempt("ada", "there", n === 50 ? right : failed)),
    );
    expect(answers.filter((answer) => answer === "wrong")).toHaveLength(10);
    expect(answers).not.toContain("right");
  });

  it("does not count a check that fails with an error", async () => {
    const { attempt } = start();
    for (let n = 0; n < 20; n++) await attempt("ada", "home", never);
    expect(await attempt("ada", "home", right)).toBe("right");
  });

  it("drops the oldest entries above the maximum", async () => {
    const { attempt, fail } = start();
    await fail(10, "ada", "there");
    for (let n = 0; n < 10_000; n++) await attempt("ada", `elsewhere-${n}`, failed);
    expect(await attempt("ada", "there", failed)).toBe("wrong");
  });

  describe("over HTTP", () => {
    let hub: TestHub;
    let url: string;
    let close: () => Promise<unknown>;
    beforeAll(async () => {
      hub = await startTestHub({ config: { rateLimits: true } });
      // The app trusts 127.0.0.1 as a proxy, so that callers can have several addresses.
      const app = await createApp(hub.hub, { trustProxy: ["127.0.0.1"] });
      url = await app.listen({ port: 0, host: "127.0.0.1" });
      close = () => app.close();
      await hub.member("ada");
    });
    afterAll(async () => {
      await close();
      await hub.close();
    });

    const login = (ip: string, password = PASSWORD, username = "ada") =>
      createActor({ name: ip, baseUrl: () => url }).post(
        "/api/login",
        { username, password },
        { "x-forwarded-for": ip },
      );
    const guess = async (ip: string, username = "ada") => {
      for (let n = 0; n < 10; n++) await login(ip, "wrong password", username);
    };

    it("is 429 with Retry-After; the owner can log in from another address", async () => {
      await guess("203.0.113.7", "ADA");
      const { status, body, headers } = await login("203.0.113.7");
      expect([status, body.error]).toEqual([429, "rate_limited"]);
      expect(Number(headers.get("retry-after"))).toBeGreaterThan(800);
      expect((await login("203.0.113.8")).status).toBe(200);
    });

    it("responds identically for an unknown username", async () => {
      await guess("203.0.113.9", "nobody-here");
      const unknown = await login("203.0.113.9", "wrong password", "nobody-here");
      await guess("203.0.113.10");
      const known = await login("203.0.113.10", "wrong password");
      expect([unknown.status, known.status]).toEqual([429, 429]);
      expect({ ...unknown.body, request_id: "" }).toEqual({ ...known.body, request_id: "" });
    });

    it("counts a /64 of IPv6 as one address", async () => {
      for (let n = 0; n < 10; n++) await login(`2001:db8:0:1::${n}`, "wrong password");
      expect((await login("2001:db8:0:1:ffff::1")).status).toBe(429);
      expect((await login("2001:db8:0:2::1")).status).toBe(200);
    });

    it("applies to tRPC and change-password too", async () => {
      const vera = await hub.member("vera");
      const elsewhere = createActor({ name: "vera", baseUrl: () => url, apiKey: vera.apiKey });
      const change = () =>
        elsewhere.post(
          "/api/change-password",
          {
            current_password: "wrong password",
            new_password: "another password",
            confirm_password: "another password",
          },
          { "x-forwarded-for": "203.0.113.20" },
        );
      for (let n = 0; n < 10; n++) expect((await change()).body.error).toBe("wrong_password");
      const { status, headers } = await change();
      expect([status, Number(headers.get("retry-after")) > 0]).toEqual([429, true]);
      const page = await createActor({ name: "a page", baseUrl: () => url }).post(
        "/trpc/accounts.login",
        { username: "vera", password: PASSWORD },
        { "x-forwarded-for": "203.0.113.20" },
      );
      expect([page.status, page.body.error.data.error]).toEqual([429, "rate_limited"]);
      expect(Number(page.headers.get("retry-after"))).toBeGreaterThan(0);
    });

    it("is disabled by RATE_LIMITS=off", async () => {
      await using open = await startTestHub({ config: { rateLimits: false } });
      await open.member("ada");
      const guest = open.guest();
      for (let n = 0; n < 11; n++) {
        await guest.post("/api/login", { username: "ada", password: "wrong password" });
      }
      const { status } = await guest.post("/api/login", { username: "ada", password: PASSWORD });
      expect(status).toBe(200);
    });
  });
});
