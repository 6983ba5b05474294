import { beforeAll, expect, it } from "vitest";
import type { Actor, Answer } from "../../testing/actor.ts";
import { history, openRoom, type RoomName, say, sync } from "../../testing/chat-hub.ts";
import { describeChat } from "../../testing/describe-chat.ts";
import { everyText } from "../../testing/every-text.ts";
import { seeded } from "../../testing/random-numbers.ts";
import { testDatabases } from "../../testing/test-database.ts";
import { roomRow, roomRows } from "./tree.fixture.ts";

const ROUNDS = 6;
const CALLS = 25;
const SEED = 20_261_125;
const EXPECTED = [200, 400, 403, 404, 409, 429];

const options = { databases: testDatabases(), routes: { summary: "offline" } };

/** 0038, 0039: all changes of a room at the same time. */
describeChat("concurrent changes of one room", options, (hub) => {
  let people: [Actor, Actor];
  let room: RoomName;

  beforeAll(async () => {
    people = [await hub.vip("vera"), await hub.vip("ben")];
    for (const person of people) await hub.pass(person, "pro");
    room = await openRoom(people[0]);
    await say(people[0], room, "Secret 0.");
  });

  it("leave one log, a tree over it, and each revision once", { timeout: 120_000 }, async () => {
    const random = seeded(SEED);
    const pick = <T>(choices: readonly T[]) => choices[Math.floor(random() * choices.length)] as T;
    const [owner] = people;
    const removed = new Set<number>();
    let texts = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const ids = (await roomRows(hub, room)).map(({ id }) => id);
      const calls = Array.from({ length: CALLS }, (): Promise<Answer> => {
        const id = pick(ids);
        const name = { ...room, id };
        const content = `Secret ${++texts}.`;
        const who = pick(people);
        return pick([
          () => say(who, room, content),
          () => say(who, room, content, { parent_id: id }),
          () => say(who, room, "", { regenerate: id }),
          () => who.put("/api/message", { ...name, content }),
          () =>
            who.put("/api/reaction", { ...name, emoji: pick(["👍", "🎉"]), on: random() < 0.6 }),
          () => owner.put("/api/room", { ...room, active_id: pick([id, null]), title: content }),
          () => owner.put("/api/my-chats", { ...room, summary: `Summary ${texts}.` }),
          async () => {
            const query = `soul_id=${room.soul_id}&session_token=lobby&id=${id}`;
            const answer = await who.delete(`/api/message?${query}`);
            if (answer.status === 200) removed.add(id);
            return answer;
          },
        ])();
      });
      for (const { status, text } of await Promise.all(calls)) {
        expect(EXPECTED, text).toContain(status);
      }
    }

    const lines = await roomRows(hub, room);
    const known = new Map(lines.map((line) => [line.id, line]));
    for (const [nth, line] of lines.entries()) {
      expect(line.prev_id).toBe(lines[nth - 1]?.id ?? 0);
      const parent = line.parent_id ?? line.prev_id;
      expect(parent).toBeLessThan(line.id);
      // A reply continues a question. Each other parent is a message of the room, or 0.
      if (line.role === "assistant") expect(known.get(parent)?.role).toBe("user");
      else expect(parent === 0 || known.has(parent)).toBe(true);
      expect([line.removed_at !== null, line.content === "[removed]"]).toEqual(
        Array(2).fill(removed.has(line.id)),
      );
    }
    const { head_id, active_id, revision } = await roomRow(hub, room);
    expect(head_id).toBe(lines.at(-1)?.id);
    expect(active_id === null || known.has(active_id)).toBe(true);
    const revisions = lines.flatMap((line) => (line.revision > 0 ? [line.revision] : []));
    expect(new Set(revisions).size).toBe(revisions.length);
    expect(Math.max(...revisions)).toBeLessThanOrEqual(revision);
    expect([removed.size > 5, lines.length > 30]).toEqual([true, true]);

    const whole = (await history(owner, room, { limit: 500 })).body.messages;
    const { body } = await sync(owner, room, { last_id: 0, revision: 0 });
    expect(body).toMatchObject({ revision, head: head_id });
    for (const line of body.changes) {
      expect(line).toEqual(whole.find(({ id }: { id: number }) => id === line.id));
    }
    // Every text of a question that is stored anywhere is that of a present message.
    const present = new Set(lines.map(({ content }) => content));
    const stored = await everyText(hub.hub.database);
    const others = stored.filter(
      ({ at, text }) => /^Secret \d+\.$/.test(text) && !present.has(text) && !/title/.test(at),
    );
    expect(others).toEqual([]);
  });
});
