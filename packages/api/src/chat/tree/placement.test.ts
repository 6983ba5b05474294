import { sql } from "kysely";
import { beforeAll, beforeEach, expect, it } from "vitest";
import { defaultTiers } from "../../quota/tier-table.ts";
import type { Actor } from "../../testing/actor.ts";
import { failureOf, openRoom, type RoomName, say } from "../../testing/chat-hub.ts";
import { describeChat } from "../../testing/describe-chat.ts";
import { eventually } from "../../testing/eventually.ts";
import { joinAs } from "../../testing/live-visitor.ts";
import { testDatabases } from "../../testing/test-database.ts";
import { roomRow, roomRows, switchTo } from "./tree.fixture.ts";

const options = {
  databases: testDatabases(),
  config: { tiers: { ...defaultTiers, vip: { ...defaultTiers.vip, daily_limit: 10_000 } } },
  routes: { summary: "offline" },
};

const SENDS = 50;
const SWITCHES = 25;

/** 0038: the commit decides where a message goes. */
describeChat("a message", options, (hub) => {
  let people: Actor[];
  let room: RoomName;

  beforeAll(async () => {
    people = await Promise.all(
      Array.from({ length: 3 }, (_, n) => hub.vip(n === 0 ? "vera" : `person-${n}`)),
    );
  });
  beforeEach(async () => {
    room = await openRoom(people[0] as Actor);
  });
  const person = (n: number) => people[n % people.length] as Actor;
  const ask = async (n: number, content: string, more: object = {}) => {
    const { body } = await say(person(n), room, content, more);
    expect(body.error).toBeUndefined();
    return { question: body.question_id as number, reply: body.message_id as number };
  };
  /** Sends a message and holds its reply. Resolves once the hub has accepted the message. */
  const hold = async (n: number, content: string, more: object = {}) => {
    const count = hub.provider.requests.length;
    const release = hub.provider.holdNext();
    const sent = ask(n, content, more);
    await hub.provider.received(count + 1);
    return async () => {
      release();
      return sent;
    };
  };
  const parentOf = async (id: number) => {
    const row = (await roomRows(hub, room)).find((line) => line.id === id);
    return row?.parent_id ?? row?.prev_id;
  };

  it("follows another one that was asked at the same time", async () => {
    const first = await ask(0, "Hello.");
    const slow = await hold(0, "Is it dark?");
    const fast = await ask(1, "And cold?");
    const late = await slow();
    expect([await parentOf(fast.question), await parentOf(late.question)]).toEqual([
      first.reply,
      fast.reply,
    ]);
  });

  it("stays on its branch if the path was switched meanwhile, and the path stays", async () => {
    const first = await ask(0, "Hello.");
    const second = await ask(0, "Is it dark?");
    const slow = await hold(1, "And cold?");
    await switchTo(person(0), room, first.reply);
    const late = await slow();
    expect(await parentOf(late.question)).toBe(second.reply);
    expect((await roomRow(hub, room)).active_id).toBe(first.reply);
    const next = await ask(1, "And now?");
    expect(await parentOf(next.question)).toBe(first.reply);
  });

  it("stays on its branch if a regeneration was stored meanwhile, and the path stays", async () => {
    const first = await ask(0, "Hello.");
    const slow = await hold(1, "And cold?");
    const again = await ask(0, "", { regenerate: first.question });
    const late = await slow();
    expect(await parentOf(late.question)).toBe(first.reply);
    expect((await roomRow(hub, room)).active_id).toBe(again.reply);
  });

  it("moves the path when it is stored under a chosen parent", async () => {
    const first = await ask(0, "Hello.");
    const slow = await hold(0, "Is it dark?", { parent_id: first.question });
    const fast = await ask(1, "And cold?");
    expect(await parentOf(fast.question)).toBe(first.reply);
    const late = await slow();
    expect(await parentOf(late.question)).toBe(first.question);
    const next = await ask(1, "And now?");
    expect(await parentOf(next.question)).toBe(late.reply);
  });

  it("is refused if its room was deleted and begun anew meanwhile", async () => {
    await ask(0, "Hello.");
    const count = hub.provider.requests.length;
    const release = hub.provider.holdNext();
    const slow = say(person(0), room, "Is it dark?");
    await hub.provider.received(count + 1);
    const { id } = await roomRow(hub, room);
    await hub.hub.database.db.deleteFrom("chat_rooms").where("id", "=", id).execute();
    const anew = await ask(0, "Good evening.");
    release();
    expect(failureOf(await slow)).toEqual([409, "cancelled"]);
    const stored = await roomRows(hub, room);
    expect(stored.map((line) => line.id)).toEqual([anew.question, anew.reply]);
  });

  it(`goes where the rule says, with ${SENDS} concurrent sends and ${SWITCHES} switches`, async () => {
    const { db } = hub.hub.database;
    const start = [await ask(0, "Hello."), await ask(0, "Is it dark?"), await ask(0, "And cold?")];
    const { id } = await roomRow(hub, room);
    // Each update of the room's row happens under its lock, so the trigger sees them in order.
    await sql`create table room_steps (n bigserial, leaf_before bigint, epoch_before int,
      head_before bigint, leaf bigint, epoch int, head bigint)`.execute(db);
    await sql`create function note_step() returns trigger language plpgsql as $$ begin
      insert into room_steps (leaf_before, epoch_before, head_before, leaf, epoch, head)
        values (coalesce(old.active_id, old.head_id), old.path_epoch, old.head_id,
          coalesce(new.active_id, new.head_id), new.path_epoch, new.head_id);
      return null; end $$`.execute(db);
    await sql`create trigger note_step after update on chat_rooms
      for each row execute function note_step()`.execute(db);
    try {
      await using watcher = joinAs(hub, person(0), room);
      await eventually(() => expect(watcher.types).toContain("sync"));
      const fixed = start.flatMap(({ question, reply }) => [question, reply]);
      const before = hub.provider.requests.length;
      const pick = (n: number) => fixed[(n * 7) % fixed.length] as number;
      const send = async (n: number) => {
        // The owner also regenerates and rewrites questions.
        if (n % 20 === 0) {
          const under = start[n % 3]?.question;
          return { under, ...(await say(person(0), room, "", { regenerate: under })) };
        }
        const under = n % 10 === 0 ? pick(n) : undefined;
        const more = under === undefined ? {} : { parent_id: under };
        // Of one account, 8 calls run at a time. The hub thus accepts some after the first switches.
        const asker = under === undefined ? person(n) : person(0);
        return { under, ...(await say(asker, room, `Question ${n}.`, more)) };
      };
      const sends = Array.from({ length: SENDS }, (_, n) => send(n));
      const switches = Array.from({ length: SWITCHES }, async (_, n) => {
        await hub.provider.received(before + n);
        const switched = await switchTo(person(0), room, n % 5 === 4 ? null : pick(n));
        expect(switched.status).toBe(200);
      });
      const all = await Promise.all(sends);
      await Promise.all(switches);
      // Without a switch, all of these follow each other.
      all.push(...(await Promise.all([1, 2, 3, 4, 5].map(send))));
      // The rule may collect 20 messages under one parent. No caller can choose that parent then.
      const answers = all.filter(({ under, body }) => !under || body.error !== "limit_reached");
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
      expect(answers.length).toBeGreaterThan(SENDS);
      await eventually(() => expect(watcher.of("reply-done")).toHaveLength(answers.length));

      const askedOn = new Map(
        watcher.of("asked").map((event) => [event.reply_id, event.parent_id]),
      );
      const { rows: steps } = await sql<Step>`select * from room_steps order by n`.execute(db);
      const lines = await roomRows(hub, room);
      const first = { leaf: start[2]?.reply ?? 0, epoch: 0 };
      let stays = 0;
      for (const { under, body } of answers) {
        const { question_id, message_id, reply_id } = body;
        const at = steps.findIndex(
          ({ head, head_before }) => head === message_id && head_before !== head,
        );
        const step = steps[at] as Step;
        const reply = lines.find((line) => line.id === message_id);
        const top = lines.find((line) => line.prev_id === step.head_before);
        const parent = top?.parent_id ?? top?.prev_id;
        if (under !== undefined) {
          expect([parent, step.leaf]).toEqual([under, message_id]);
          expect(step.epoch - step.epoch_before).toBe(under === step.leaf_before ? 0 : 1);
          continue;
        }
        expect([top?.id, reply?.parent_id ?? reply?.prev_id]).toEqual([question_id, question_id]);
        expect(step.epoch).toBe(step.epoch_before);
        const leaf = askedOn.get(reply_id);
        // The states in which the hub may have accepted the question.
        const accepted = [first, ...steps.slice(0, at)].filter((state) => state.leaf === leaf);
        expect(accepted.length).toBeGreaterThan(0);
        const hasStayed = step.leaf !== message_id;
        if (hasStayed) stays++;
        expect([parent, step.leaf]).toEqual(
          hasStayed ? [leaf, step.leaf_before] : [step.leaf_before, message_id],
        );
        expect(
          accepted.some(({ epoch }) => hasStayed === (epoch !== step.epoch_before)),
          "the path stays exactly if it was switched since the acceptance",
        ).toBe(true);
      }
      // The run was a real mix.
      expect(stays).toBeGreaterThan(0);
      expect(stays).toBeLessThan(SENDS);
      expect(lines.map(({ prev_id }) => prev_id)).toEqual([
        0,
        ...lines.slice(0, -1).map((line) => line.id),
      ]);
      const { path_epoch, revision, id: same } = await roomRow(hub, room);
      expect([same, path_epoch <= revision]).toEqual([id, true]);
    } finally {
      await sql`drop function note_step cascade`.execute(db);
      await sql`drop table room_steps`.execute(db);
    }
  });
});

interface Step {
  leaf_before: number;
  epoch_before: number;
  head_before: number;
  leaf: number;
  epoch: number;
  head: number;
}
