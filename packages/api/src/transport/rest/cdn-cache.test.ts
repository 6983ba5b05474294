import { beforeAll, expect, it } from "vitest";
import type { Actor, Answer } from "../../testing/actor.ts";
import { describeHub } from "../../testing/describe-chat.ts";
import { readTwice, sharedReads } from "./shared-reads.fixture.ts";

const SHARED = "public, max-age=0, s-maxage=30, stale-while-revalidate=30, stale-if-error=300";

/** Directives of Cache-Control with their values (RFC 9111, 5.2). */
const directivesOf = ({ headers }: Answer) =>
  new Map(
    (headers.get("cache-control") ?? "").split(",").map((directive) => {
      const [name = "", value = "0"] = directive.trim().split("=");
      return [name, Number(value)] as const;
    }),
  );

/**
 * Seconds for which a shared cache may serve a response (RFC 9111, 3 and 4.2.1; RFC 5861, 3). A
 * cache that asks the hub again before each use is not counted.
 */
function sharedSeconds(answer: Answer): number {
  const directives = directivesOf(answer);
  if (["no-store", "private", "no-cache"].some((name) => directives.has(name))) return 0;
  const fresh = directives.get("s-maxage") ?? directives.get("max-age") ?? 0;
  return fresh === 0 ? 0 : fresh + (directives.get("stale-while-revalidate") ?? 0);
}

/** A shared cache that serves every response for as long as it may. */
function openCache(caller: Actor) {
  const stored = new Map<string, { answer: Answer; until: number }>();
  let now = 0;
  return {
    passTime: (seconds: number) => {
      now += seconds;
    },
    async get(path: string): Promise<Answer> {
      const held = stored.get(path);
      if (held && now < held.until) return held.answer;
      const answer = await caller.get(path);
      stored.set(path, { answer, until: now + sharedSeconds(answer) });
      return answer;
    },
  };
}

/** Decisions §7, Caching: CDN_CACHE=on. */
describeHub("a CDN before the hub", { config: { cdnCache: true, rateLimits: true } }, (hub) => {
  let ada: Actor;
  let hidden: number;
  const publish = async (soul: object): Promise<number> =>
    (await ada.post("/api/souls", { title: "One", content: "text", ...soul })).body.id;
  beforeAll(async () => {
    ada = await hub.vip("ada");
    await publish({});
    hidden = await publish({ is_public: 0 });
  });

  it.each(sharedReads)("may store %s of a caller without a credential", async (path) => {
    const { whole, unchanged } = await readTwice(hub, path);
    for (const { headers } of [whole, unchanged]) {
      expect(headers.get("cache-control")).toBe(SHARED);
      expect(headers.get("vary")).toBe("Authorization, Cookie");
      expect(headers.getSetCookie()).toEqual([]);
      // Other callers would take these for their own.
      expect([...headers.keys()].filter((name) => name.startsWith("ratelimit"))).toEqual([]);
    }
  });

  it.each(sharedReads)(
    "may not store %s of a caller with a credential or any cookie",
    async (path) => {
      const member = await hub.signIn("ada");
      const guest = hub.guest();
      await guest.get("/api/chat-quota");
      expect([member.cookies.size, guest.cookies.size]).toEqual([1, 1]);
      const answers = {
        key: await ada.get(path),
        "wrong key": await hub.guest().get(path, { authorization: "Bearer shk_bad" }),
        "other scheme": await hub.guest().get(path, { authorization: "Basic YTpi" }),
        session: await member.get(path),
        "guest cookie": await guest.get(path),
        "expired session": await hub.guest().get(path, { cookie: "soulhub_session=gone" }),
        "foreign cookie": await hub.guest().get(path, { cookie: "analytics=1" }),
      };
      for (const [caller, answer] of Object.entries(answers)) {
        expect(sharedSeconds(answer), caller).toBe(0);
        expect(directivesOf(answer).has("public"), caller).toBe(false);
      }
      expect(answers["expired session"].headers.getSetCookie()).toHaveLength(1);
    },
  );

  it("may not store a failure, nor an answer of one caller", async () => {
    for (const path of [
      `/api/soul/${hidden}`,
      "/api/soul/999999",
      "/api/soul/none",
      `/api/versions?soul_id=${hidden}`,
      "/api/profile?username=nobody",
      "/api/nowhere",
      "/api/chat-quota",
      "/api/chat-sync?soul_id=1&session_token=s",
      "/trpc/souls.list?input=%7B%7D",
      "/healthz",
    ]) {
      const answer = await hub.guest().get(path);
      expect([path, answer.headers.get("cache-control")]).toEqual([path, "no-store"]);
    }
  });

  it("no longer serves a hidden soul after 60 seconds", async () => {
    const id = await publish({ title: "Soon hidden" });
    const cache = openCache(hub.guest());
    const soul = `/api/soul/${id}`;
    const titles = async () => {
      const { body } = await cache.get("/api/souls");
      return body.data.map(({ title }: { title: string }) => title);
    };
    expect((await cache.get(soul)).status).toBe(200);
    expect(await titles()).toContain("Soon hidden");
    await ada.put(soul, { is_public: 0 });
    cache.passTime(59);
    expect((await cache.get(soul)).status).toBe(200);
    cache.passTime(1);
    expect((await cache.get(soul)).status).toBe(404);
    expect(await titles()).not.toContain("Soon hidden");
  });
});
