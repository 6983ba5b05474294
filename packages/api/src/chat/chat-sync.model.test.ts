import { describe, expect, it, vi } from "vitest";
import { StandingAnswers } from "../rest/standing-answers.ts";
import { seeded } from "../rooms/model-network.fixture.ts";
import type { Actor, Answer } from "../testing/actor.ts";
import { openRoom, say, signedIn, startChatHub, sync } from "../testing/chat-hub.ts";

const STEPS = 60;

/** Docs/decisions/0021: an answer that is given again is the one that would have been made. */
describe("polling a room where much happens", () => {
  const now = performance.now.bind(performance);
  let waitedMs = 0;
  vi.spyOn(performance, "now").mockImplementation(() => now() + waitedMs);
  const again = vi.spyOn(StandingAnswers.prototype, "again");

  const whole = ({ status, text, headers, body }: Answer) => ({
    status,
    text: status === 200 ? text : body.error,
    headers: [...headers].filter(([name]) => name !== "date" && name !== "x-request-id"),
  });

  it.each([1, 2, 3])(
    "says what the whole ladder says (seed %i)",
    { timeout: 60_000 },
    async (seed) => {
      await using hub = await startChatHub();
      const random = seeded(seed);
      const oneOf = <One>(all: readonly One[]) => all[Math.floor(random() * all.length)] as One;
      const vera = await hub.vip("vera");
      const room = await openRoom(vera);
      await say(vera, room, "Good evening.");
      const held = new Map<Actor, number>([[vera, 0]]);
      held.set(await signedIn(hub, "sam"), 0).set(hub.guest(), 0);
      let is_public = 1;
      const happenings: (() => unknown)[] = [
        () => say(vera, room, "Is anybody there?"),
        () => held.set(hub.guest(), 0),
        () => {
          waitedMs += 16_000;
        },
        () => {
          is_public = 1 - is_public;
          return vera.put(`/api/soul/${room.soul_id}`, { is_public });
        },
      ];
      let asked = 0;
      again.mockClear();
      for (let step = 0; step < STEPS; step++) {
        if (random() < 0.4) await oneOf(happenings)();
        const actor = oneOf([...held.keys()]);
        const last_id = held.get(actor) ?? 0;
        // The first may set a cookie, or be the first to find that something changed.
        await sync(actor, room, { last_id });
        const given = await sync(actor, room, { last_id });
        const made = await sync(actor, room, { last_id, n: asked++ });
        expect(whole(given), `step ${step}`).toEqual(whole(made));
        if (made.status === 200) held.set(actor, made.body.head);
      }
      const texts = await Promise.all(again.mock.results.map(({ value }) => value));
      expect(texts.filter(Boolean).length).toBeGreaterThan(10);
    },
  );
});
