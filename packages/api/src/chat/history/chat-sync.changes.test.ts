import { sql } from "kysely";
import { afterAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { RoomLine, RoomSettings } from "../../rooms/room-events.ts";
import type { Actor } from "../../testing/actor.ts";
import {
  type ChatHub,
  history,
  lengthen,
  openRoom,
  type RoomName,
  say,
  startChatHub,
  sync,
} from "../../testing/chat-hub.ts";
import { eventually } from "../../testing/eventually.ts";
import { seeded } from "../../testing/random-numbers.ts";

/** A polling client that sends its revision and applies the changes (decisions §5, chat-sync). */
class ChangePoller {
  readonly lines = new Map<number, RoomLine>();
  settings: RoomSettings | undefined;
  revision = 0;
  readonly #actor: Actor;
  readonly #room: RoomName;

  constructor(actor: Actor, room: RoomName) {
    this.#actor = actor;
    this.#room = room;
  }

  /** Polls until the hub has nothing more. */
  async catchUp(): Promise<void> {
    for (let isBehind = true; isBehind; ) {
      const last_id = Math.max(0, ...this.lines.keys());
      const { body } = await sync(this.#actor, this.#room, { last_id, revision: this.revision });
      expect(body.recovered).toBe(true);
      for (const line of body.new_messages) this.lines.set(line.id, line);
      for (const line of body.changes) if (this.lines.has(line.id)) this.lines.set(line.id, line);
      this.settings = body.room;
      this.revision = body.revision;
      isBehind = body.has_more || body.changes_more;
    }
  }
}

describe("polling a room that changes", () => {
  let hub: ChatHub;
  let vera: Actor;
  let ben: Actor;
  let room: RoomName;

  beforeEach(async () => {
    await hub?.close();
    hub = await startChatHub();
    vera = await hub.vip("vera");
    await hub.pass(vera, "pro");
    ben = await hub.vip("ben");
    room = await openRoom(vera);
    await say(vera, room, "Good evening.");
  });
  afterAll(() => hub.close());

  const log = async () =>
    (await history(vera, room, { limit: 500 })).body.messages as (RoomLine & { id: number })[];

  /** Sends, edits, removes, branches or reacts, at random. */
  async function takeStep(random: () => number): Promise<void> {
    const pick = <T>(choices: readonly T[]) => choices[Math.floor(random() * choices.length)] as T;
    const lines = await log();
    const questions = lines.filter(({ role, removed }) => role === "user" && !removed);
    const { id } = pick(lines);
    const text = `Text ${random()}`;
    const name = { ...room, id };
    await pick([
      () => say(pick([vera, ben]), room, text),
      () => vera.put("/api/message", { ...name, content: text }),
      () => vera.delete(`/api/message?soul_id=${room.soul_id}&session_token=lobby&id=${id}`),
      () => say(vera, room, text, { parent_id: pick(lines).id }),
      () => say(vera, room, "", { regenerate: pick(questions)?.id ?? id }),
      () =>
        pick([vera, ben]).put("/api/reaction", {
          ...name,
          emoji: pick(["👍", "🎉"]),
          on: random() < 0.6,
        }),
      () => vera.put("/api/room", { ...room, active_id: id }),
      () => vera.put("/api/room", { ...room, title: text }),
    ])();
  }

  it("gives a client of the former shape each line once, in order, and then reads no table", async () => {
    const guest = hub.guest();
    const seen: number[] = [];
    const poll = async () => {
      const { body } = await sync(guest, room, { last_id: seen.at(-1) ?? 0 });
      seen.push(...body.new_messages.map(({ id }: { id: number }) => id));
      expect(body).not.toHaveProperty("changes");
      return body;
    };
    const random = seeded(20_260_131);
    for (let step = 0; step < 200; step++) {
      await takeStep(random);
      if (random() < 0.4) await poll();
    }
    for (let body = await poll(); body.has_more; body = await poll());
    expect(seen).toEqual((await log()).map(({ id }) => id));
    expect(seen).toEqual([...new Set(seen)].sort((one, other) => one - other));
    const { revision } = await poll();
    expect(revision).toBeGreaterThan(50);

    // The rows of the usage are written a second after a reply.
    await hub.hub.modelUsage.flush();
    const reads = vi.spyOn(hub.hub.database.db.getExecutor(), "executeQuery");
    const quiet = { new_messages: [], head: seen.at(-1), revision };
    expect(await poll()).toMatchObject(quiet);
    const { body } = await sync(guest, room, { last_id: seen.at(-1), revision });
    expect(body).toMatchObject({ ...quiet, changes: [], changes_more: false, room: { revision } });
    expect(reads).not.toHaveBeenCalled();
    await poll();
    await sync(guest, room, { last_id: seen.at(-1), revision: revision - 1 });
    expect(reads).toHaveBeenCalledTimes(1);
  });

  it("gives a client that sends its revision the room as a new client reads it", async () => {
    const poller = new ChangePoller(hub.guest(), room);
    const random = seeded(7);
    for (let step = 0; step < 100; step++) {
      await takeStep(random);
      if (random() < 0.3) await poller.catchUp();
    }
    await poller.catchUp();
    expect([...poller.lines.values()]).toEqual(await log());
    const { body } = await vera.get(`/api/room?soul_id=${room.soul_id}&session_token=lobby`);
    const relation = { is_private: false, is_owner: true, is_muted: false, muted_until: null };
    expect({ ...poller.settings, ...relation }).toEqual(body.data);
  });

  it("gives at most 200 changes, lowest revision first, and goes on from the returned one", async () => {
    await lengthen(hub, 210);
    const { db } = hub.hub.database;
    await sql`update chat_messages set revision = id`.execute(db);
    await sql`update chat_rooms set revision = head_id`.execute(db);
    const { body } = await sync(vera, room, { last_id: 0, revision: 0 });
    const revisions = body.changes.map(({ revision }: { revision: number }) => revision);
    expect(revisions).toEqual(Array.from({ length: 200 }, (_, n) => n + 1));
    expect(body).toMatchObject({ revision: 200, changes_more: true, room: { revision: 212 } });
    const rest = (await sync(vera, room, { last_id: 0, revision: 200 })).body;
    expect(rest).toMatchObject({ revision: 212, changes_more: false });
    expect(rest.changes).toHaveLength(12);
  });

  it("gives no changes to a client that begins with the newest messages", async () => {
    const [question] = await log();
    await vera.put("/api/message", { ...room, id: question?.id, content: "Good night." });
    for (const more of [{}, { last_id: 2 ** 53 - 1 }]) {
      const { body } = await sync(vera, room, { ...more, revision: 0 });
      expect(body).toMatchObject({ revision: 1, changes: [], changes_more: false });
      expect(body.new_messages[0]).toMatchObject({ content: "Good night.", revision: 1 });
      expect(body.room).toMatchObject({ title: "Good night." });
    }
    // Older messages may be read beside: they replace no cursor.
    const { body } = await sync(vera, room, { before_id: question?.id, revision: 0 });
    expect(body).toMatchObject({ new_messages: [], changes: [{ id: question?.id }] });
  });

  it("answers a revision beyond the room's like an unknown last_id", async () => {
    const head = (await log()).at(-1)?.id;
    const { body } = await sync(vera, room, { last_id: head, revision: 1 });
    expect(body).toMatchObject({ recovered: false, revision: 0, changes: [], head });
    expect(body.new_messages).toHaveLength(2);
  });

  it.each([-1, 1.5, "x"])("refuses the revision %s", async (revision) =>
    expect((await sync(vera, room, { revision })).status).toBe(400),
  );

  it("ends the wait of a client that sent its revision, and of no other", async () => {
    const [question] = await log();
    const { head, revision } = (await sync(vera, room)).body;
    const waiting = (more: object) => {
      let isOver = false;
      const answer = sync(hub.guest(), room, { last_id: head, wait: 3, ...more });
      void answer.then(() => {
        isOver = true;
      });
      return { answer, isOver: () => isOver };
    };
    const former = waiting({});
    const present = waiting({ revision });
    await eventually(() => expect(hub.hub.rooms.waits()).toHaveLength(2));
    await vera.put("/api/reaction", { ...room, id: question?.id, emoji: "👍", on: true });
    const { body } = await present.answer;
    expect(body).toMatchObject({ revision: 1, changes: [{ id: question?.id }] });
    expect(former.isOver()).toBe(false);
    expect((await former.answer).body).toMatchObject({ new_messages: [], revision: 1 });
  });
});
