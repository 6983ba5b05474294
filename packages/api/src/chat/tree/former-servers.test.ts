import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { replaceSweptHold } from "../../quota/quota-hold.service.ts";
import { openRoom, type RoomName, say, startChatHub } from "../../testing/chat-hub.ts";
import { testDatabases } from "../../testing/test-database.ts";
import type { TestHub } from "../../testing/test-hub.ts";
import { roomKey, splitRoomKey } from "../rows/room-key.ts";
import { roomRow, roomRows, switchTo } from "./tree.fixture.ts";

interface Stored {
  former_head: number;
  question_id: number;
  reply_id: number;
  unsummarised: number;
}

let holds = 0;
/** Stores an exchange with the statement of a server of the release before. */
async function storeAsBefore({ hub }: TestHub, room: RoomName): Promise<Stored> {
  const { db } = hub.database;
  const { soulId, tokenHash } = splitRoomKey(roomKey(room));
  const hold = 1_000 + ++holds;
  await replaceSweptHold(db, { id: hold }, 60);
  const { rows } = await sql<Stored>`
    select former_head, question_id, reply_id, unsummarised from store_exchange(
      of_soul => ${soulId}, of_token_hash => ${tokenHash}, asker => 'guest:another',
      asker_name => 'Another', question => 'Is it dark?', replier_name => 'Orla',
      reply => 'It is.', hold => ${hold})`.execute(db);
  return rows[0] as Stored;
}

/** 0038: during an upgrade, servers of the release before store in the same rooms. */
describe.each(testDatabases())("a server of the release before (on %s)", (database) => {
  it("continues the path of a room that has branched", async () => {
    await using hub = await startChatHub({ database });
    const vera = await hub.vip("vera");
    const room = await openRoom(vera);
    const first = (await say(vera, room, "Hello.")).body;
    const again = (await say(vera, room, "", { regenerate: first.question_id })).body;
    const one = await storeAsBefore(hub, room);
    expect(one.former_head).toBe(again.message_id);
    await switchTo(vera, room, first.message_id);
    const { revision } = await roomRow(hub, room);
    const two = await storeAsBefore(hub, room);
    const parents = (await roomRows(hub, room)).map(({ id, parent_id, prev_id }) => [
      id,
      parent_id ?? prev_id,
    ]);
    expect(parents).toEqual([
      [first.question_id, 0],
      [first.message_id, first.question_id],
      [again.message_id, first.question_id],
      [one.question_id, again.message_id],
      [one.reply_id, one.question_id],
      [two.question_id, first.message_id],
      [two.reply_id, two.question_id],
    ]);
    // The path ends at the new message, so the room has changed. It is not summarised there.
    expect(await roomRow(hub, room)).toMatchObject({ active_id: null, revision: revision + 1 });
    expect([one.unsummarised, two.unsummarised]).toEqual([0, 0]);
  });

  it("stores in a room that never branched as before", async () => {
    await using hub = await startChatHub({ database });
    const vera = await hub.vip("vera");
    const room = await openRoom(vera);
    await say(vera, room, "Hello.");
    expect((await storeAsBefore(hub, room)).unsummarised).toBe(4);
    const { is_branched, revision, path_epoch, active_id } = await roomRow(hub, room);
    expect([is_branched, revision, path_epoch, active_id]).toEqual([false, 0, 0, null]);
    expect((await roomRows(hub, room)).map((line) => line.parent_id)).toEqual(Array(4).fill(null));
  });
});
