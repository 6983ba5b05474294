import { beforeEach, describe, expect, it } from "vitest";
import type { Actor, Answer } from "../testing/actor.ts";
import {
  openRoom,
  type RoomName,
  remaining,
  say,
  sayOnPage,
  signedIn,
} from "../testing/chat-hub.ts";
import { describeChat } from "../testing/describe-chat.ts";
import { defaultTiers, type TierLimits } from "./tier-table.ts";

const MIDNIGHT = /^\d{4}-\d\d-\d\d 00:00:00$/;
const statusOf = ({ status }: Answer) => status;

/** Each tier has a daily quota (decisions §5, Tiers). */
describeChat(
  "the daily quota",
  {
    routes: { premium: "openai-compatible:premium-model" },
  },
  (hub) => {
    let vera: Actor;
    let room: RoomName;
    let accounts = 0;
    let requestsBefore = 0;
    const newRequests = () => hub.provider.requests.slice(requestsBefore);
    beforeEach(async () => {
      await hub.moveClock("0");
      await hub.hub.database.db.deleteFrom("quota_days").execute();
      hub.hub.config.tiers = defaultTiers;
      vera = await hub.vip(`vera-${++accounts}`);
      room = await openRoom(vera);
      requestsBefore = hub.provider.requests.length;
    });
    const setLimits = (tier: "vip" | "pro", limits: Partial<TierLimits>) => {
      hub.hub.config.tiers = { ...defaultTiers, [tier]: { ...defaultTiers[tier], ...limits } };
    };

    /**
     * Sends messages over tRPC until the given units are spent.
     * @returns the refusal of the next message
     */
    const useUp = async (actor: Actor, units: number): Promise<Answer> => {
      for (let n = 0; n < units; n++) {
        expect([n, (await sayOnPage(actor, room, "Hello.")).status]).toEqual([n, 200]);
      }
      return sayOnPage(actor, room, "Once more.");
    };

    describe("GET /api/chat-quota", () => {
      it.each([
        ["a guest", "free", 5, 1_000, false, 0, 0],
        ["free", "free", 20, 2_000, false, 0, 0],
        ["vip", "vip", 200, 8_000, true, 5, 0],
        ["pro", "pro", 1_000, 32_000, true, 3, 50],
      ] as const)(
        "returns the limits of %s",
        async (who, tier, daily, chars, image, deepThink, premium) => {
          const actor = who === "a guest" ? hub.guest() : await hub.member(who);
          if (who !== "a guest") await hub.pass(actor, who);
          const { body } = await actor.get("/api/chat-quota");
          expect(body).toEqual({
            success: true,
            quota: {
              tier,
              daily_limit: daily,
              daily_remaining: daily,
              daily_count: 0,
              deep_think_available: deepThink > 0,
              deep_think_cost: deepThink,
              premium_remaining: premium,
              premium_limit: premium,
              allow_image: image,
              max_input_chars: chars,
              resets_at: expect.stringMatching(MIDNIGHT),
            },
            account_daily_limit: 20,
          });
        },
      );

      it("counts an account's sessions and its key together", async () => {
        const page = await signedIn(hub, "sue");
        await sayOnPage(page, room, "Hello.");
        expect(await remaining(page)).toBe(19);
        expect((await page.get("/api/chat-quota")).body.quota.daily_count).toBe(1);
      });
    });

    it("allows a guest 5 units per session, then is 429 with the quota and Retry-After", async () => {
      const guest = hub.guest();
      await guest.get("/api/chat-quota");
      const { status, body, headers } = await useUp(guest, 5);
      const failure = body.error.data;
      expect([status, failure.error, failure.httpStatus]).toEqual([429, "quota_exceeded", 429]);
      expect(failure.quota).toMatchObject({ tier: "free", daily_limit: 5, daily_remaining: 0 });
      const wait = Number(headers.get("retry-after"));
      expect(wait).toBeGreaterThan(0);
      expect(wait).toBeLessThanOrEqual(86_400);
    });

    it("allows the guests of one address 20 units and reports the smaller remainder", async () => {
      for (let n = 0; n < 3; n++) {
        const guest = hub.guest();
        await guest.get("/api/chat-quota");
        await useUp(guest, 5);
      }
      const last = hub.guest();
      await last.get("/api/chat-quota");
      for (let n = 0; n < 3; n++) await sayOnPage(last, room, "Hello.");
      const next = hub.guest();
      await next.get("/api/chat-quota");
      expect(await remaining(next)).toBe(2);
      const refused = await useUp(next, 2);
      expect([refused.status, refused.body.error.data.error]).toEqual([429, "quota_exceeded"]);
      const { body } = await next.get("/api/chat-quota");
      expect(body.quota).toMatchObject({ daily_limit: 5, daily_count: 2, daily_remaining: 0 });
      // The refused call did not increase the counter of the guest's own session.
      const used = await hub.hub.database.db
        .selectFrom("quota_days")
        .select(["subject", "used"])
        .execute();
      expect(used.map((row) => row.used).sort((a, b) => a - b)).toEqual([2, 3, 5, 5, 5, 20]);
      expect(JSON.stringify(used)).not.toContain("127.0.0.1");
    });

    it("allows a free account 20 units over tRPC, with 2,000 characters each", async () => {
      const page = await signedIn(hub, "fred");
      const long = await sayOnPage(page, room, "x".repeat(2_001));
      expect([long.status, long.body.error.data.error]).toEqual([400, "input_too_long"]);
      const { status, body } = await useUp(page, 20);
      expect([status, body.error.data.quota.daily_limit]).toEqual([429, 20]);
      const asked = newRequests().map(({ messages }) => messages.at(-1)?.content);
      expect(asked.filter((content) => content === "[fred] Hello.")).toHaveLength(20);
      expect(asked).not.toContain("[fred] Once more.");
    });

    it("is 429 on POST /api/chat with the quota and Retry-After", async () => {
      setLimits("vip", { daily_limit: 1 });
      const first = await say(vera, room, "Hello.");
      expect(first.body.quota).toMatchObject({ daily_limit: 1, daily_remaining: 0 });
      const { status, body, headers } = await say(vera, room, "Hello?");
      expect(status).toBe(429);
      expect(body).toMatchObject({
        success: false,
        error: "quota_exceeded",
        quota: { tier: "vip", daily_limit: 1, daily_remaining: 0, resets_at: expect.any(String) },
      });
      expect(body).not.toHaveProperty("quota.seconds_to_reset");
      const resets = Date.parse(`${body.quota.resets_at}Z`);
      expect(Number(headers.get("retry-after"))).toBeGreaterThan(
        (resets - Date.now()) / 1_000 - 60,
      );
      expect(Number(headers.get("retry-after"))).toBeLessThan((resets - Date.now()) / 1_000 + 60);
    });

    it("resets at midnight UTC by the database clock", async () => {
      const guest = hub.guest();
      await guest.get("/api/chat-quota");
      await useUp(guest, 5);
      await say(vera, room, "Hello.");
      const { quota } = (await vera.get("/api/chat-quota")).body;
      await hub.moveClock("1 day");
      const next = (await vera.get("/api/chat-quota")).body.quota;
      expect(next).toMatchObject({ daily_count: 0, daily_remaining: 200 });
      const day = Date.parse(`${next.resets_at}Z`) - Date.parse(`${quota.resets_at}Z`);
      expect(day).toBe(86_400_000);
      expect((await sayOnPage(guest, room, "Good morning.")).status).toBe(200);
    });

    it("charges the cost of deep think, if that many units remain", async () => {
      setLimits("vip", { daily_limit: 9 });
      const deep = await say(vera, room, "Think.", { deep_think: true });
      expect(deep.body.quota).toMatchObject({ daily_remaining: 4, deep_think_available: false });
      const refused = await say(vera, room, "Think again.", { deep_think: true });
      expect([refused.status, refused.body.error]).toEqual([429, "quota_exceeded"]);
      expect(refused.body.quota.daily_remaining).toBe(4);
      expect((await say(vera, room, "Then don't.")).status).toBe(200);
    });

    it("uses the premium model for a pro account until its premium units are spent", async () => {
      setLimits("pro", { premium_limit: 2 });
      await hub.pass(vera, "pro");
      for (let n = 0; n < 3; n++) await say(vera, room, "Hello.");
      const models = newRequests().map(({ model }) => model);
      expect(models).toEqual(["premium-model", "premium-model", "text-model"]);
      hub.provider.failNext({ status: 400 });
      await hub.moveClock("1 day");
      await say(vera, room, "Hello.");
      expect((await vera.get("/api/chat-quota")).body.quota).toMatchObject({
        premium_remaining: 2,
        daily_count: 0,
      });
    });

    it("keeps the used units when the tier changes", async () => {
      await hub.pass(vera, "pro");
      await say(vera, room, "Hello.");
      const quota = async () => (await vera.get("/api/chat-quota")).body.quota;
      const used = { daily_count: 1, premium_remaining: 49 };
      expect(await quota()).toMatchObject({ tier: "pro", daily_remaining: 999, ...used });
      await hub.pass(vera, "vip");
      expect(await quota()).toMatchObject({ daily_remaining: 199, premium_remaining: 0 });
      // Premium units used under an earlier tier do not prevent chatting in a tier without premium
      // units.
      expect((await say(vera, room, "Hello.")).status).toBe(200);
      await hub.pass(vera, "free");
      expect(await quota()).toMatchObject({ daily_remaining: 18, daily_count: 2 });
      await hub.pass(vera, "pro");
      expect(await quota()).toMatchObject({ daily_remaining: 998, ...used, daily_count: 2 });
      const models = newRequests().map(({ model }) => model);
      expect(models).toEqual(["premium-model", "text-model"]);
    });

    it("is never overspent: of 50 concurrent messages with 10 units left, 10 succeed", async () => {
      setLimits("vip", { daily_limit: 10 });
      const answers = await Promise.all(
        Array.from({ length: 50 }, () => say(vera, room, "Hello.")),
      );
      const statuses = answers.map(statusOf);
      expect(statuses.filter((status) => status === 200)).toHaveLength(10);
      expect(statuses.filter((status) => status === 429)).toHaveLength(40);
      expect(newRequests()).toHaveLength(10);
      expect(await remaining(vera)).toBe(0);
    });
  },
);
