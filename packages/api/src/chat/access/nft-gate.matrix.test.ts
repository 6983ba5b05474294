import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Actor, Answer } from "../../testing/actor.ts";
import { history, type RoomName, say, sayOnPage, sync } from "../../testing/chat-hub.ts";
import {
  GATED_SECRET,
  GATED_TEXT,
  type GatedHub,
  NFT,
  startGatedHub,
  type Who,
} from "../../testing/gated-hub.ts";

type Verdict = "in" | "nft_required" | "chain_unavailable";

/**
 * Expected result per actor in three cases: the blockchain answers, it fails, or the hub is not
 * connected to one.
 */
const verdicts: Record<Who, [answers: Verdict, fails: Verdict, none: Verdict]> = {
  owner: ["in", "in", "in"],
  holder: ["in", "chain_unavailable", "chain_unavailable"],
  "the holder's browser": ["in", "chain_unavailable", "chain_unavailable"],
  "without a wallet": ["nft_required", "nft_required", "nft_required"],
  "without a token": ["nft_required", "chain_unavailable", "chain_unavailable"],
  "with a pinned wallet": ["nft_required", "nft_required", "nft_required"],
  guest: ["nft_required", "nft_required", "nft_required"],
};
const people = Object.keys(verdicts) as Who[];
const keyless: Who[] = ["guest", "the holder's browser"];

/** Each way to use a soul, and the actors that can call it. */
const uses: [string, Who[], (actor: Actor, room: RoomName) => Promise<Answer>][] = [
  ["POST /api/chat", people.filter((who) => !keyless.includes(who)), (a, r) => say(a, r, "Hello")],
  [
    "POST /api/self-chat",
    people.filter((who) => !keyless.includes(who)),
    (a, r) => a.post("/api/self-chat", { ...r, content: "Hello" }),
  ],
  ["GET /api/chat", people.filter((who) => !keyless.includes(who)), (a, r) => history(a, r)],
  ["GET /api/chat-sync", people, (a, r) => sync(a, r)],
  [
    "POST /api/fork",
    people.filter((who) => !keyless.includes(who)),
    (a, r) => a.post("/api/fork", { soul_id: r.soul_id }),
  ],
  [
    "chat.selfChat",
    people.filter((who) => who !== "guest"),
    (a, r) => a.post("/trpc/chat.selfChat", { ...r, content: "Hello" }),
  ],
  ["chat.send", people, (a, r) => sayOnPage(a, r, "Hello")],
  ["chat.history", people, (a, r) => query(a, "chat.history", r)],
  ["rooms.sync", people, (a, r) => query(a, "rooms.sync", r)],
  ["rooms.typing", people, (a, r) => a.post("/trpc/rooms.typing", r)],
];

const query = (actor: Actor, name: string, input: object) =>
  actor.get(`/trpc/${name}?input=${encodeURIComponent(JSON.stringify(input))}`);

const codeOf = ({ status, body }: Answer): string =>
  status === 200 ? "in" : (body.error?.data?.error ?? body.error);

/** Those who wrote in the room read on without the chain (0076). */
const reads = new Set(["GET /api/chat", "GET /api/chat-sync", "chat.history", "rooms.sync"]);
const writers = new Set<Who>(["holder", "the holder's browser"]);

/** Decisions §4, NFT gate: every actor × every way to use a gated soul × the chain's state. */
describe("access matrix of a gated soul", () => {
  let hub: GatedHub;
  let room: RoomName;
  beforeAll(async () => {
    hub = await startGatedHub();
    room = await hub.openGated();
    for (const who of people.filter((one) => !keyless.includes(one))) {
      await hub.people[who].put("/api/byok", {
        provider: "openai-compatible",
        api_key: "sk-own",
        base_url: hub.provider.url,
        text_model: "own-text",
      });
    }
    await hub.people.owner.put(`/api/soul/${room.soul_id}`, { description: "Once more" });
  });
  afterAll(() => hub.close());

  describe.each([
    ["answers", 0],
    ["fails", 1],
    ["is not there", 2],
  ] as const)("while the chain %s", (_, state) => {
    beforeAll(() => {
      // Expires the chain's answers that earlier tests cached.
      hub.passTime(60_000);
      hub.near.fault = state === 1 ? { status: 500 } : null;
      hub.hub.chain = state === 2 ? null : hub.chain;
      return () => {
        hub.near.fault = null;
        hub.hub.chain = hub.chain;
      };
    });

    describe.each(uses)("%s", (name, who, use) => {
      it.each(who)("by %s", async (actor) => {
        const answer = await use(hub.people[actor], room);
        const readsOn = reads.has(name) && writers.has(actor);
        const verdict = readsOn ? "in" : verdicts[actor][state];
        expect(codeOf(answer)).toBe(verdict);
        const status = { in: 200, nft_required: 403, chain_unavailable: 503 }[verdict];
        expect(answer.status).toBe(status);
        expect(answer.headers.get("retry-after")).toBe(status === 503 ? "5" : null);
        expect(answer.text).not.toContain(GATED_SECRET);
      });
    });

    describe.each([
      ["GET /api/soul/{id}", (soul: number) => `/api/soul/${soul}`],
      ["GET /api/versions", (soul: number) => `/api/versions?soul_id=${soul}`],
    ])("%s", (_, path) => {
      it.each(people)("by %s", async (who) => {
        // A session cannot use the endpoints that require an API key, but it may read.
        const answer = await hub.people[who].get(path(room.soul_id));
        const { status, body, text } = answer;
        const verdict = verdicts[who][state];
        if (verdict === "chain_unavailable") {
          expect([status, body.error]).toEqual([503, "chain_unavailable"]);
          expect(answer.headers.get("retry-after")).toBe("5");
          expect(text).not.toContain(GATED_SECRET);
          return;
        }
        expect(status).toBe(200);
        const shown = verdict === "in";
        const records = [body.data].flat();
        expect(records).toHaveLength(1);
        for (const record of records) {
          expect(record).toMatchObject({
            title: "Keeper",
            content: shown ? GATED_TEXT : "",
            content_hidden: !shown,
          });
        }
        expect(text.includes(GATED_SECRET)).toBe(shown);
      });
    });

    it.each(people)("shows %s that the soul exists, and its gate", async (who) => {
      const { body } = await hub.people[who].get("/api/souls?q=Keeper");
      expect(body.data.map(({ id }: { id: number }) => id)).toEqual([room.soul_id]);
      if (verdicts[who][state] === "chain_unavailable") return;
      const { data } = (await hub.people[who].get(`/api/soul/${room.soul_id}`)).body;
      expect(data.nft_contract).toBe(NFT);
    });
  });
});
