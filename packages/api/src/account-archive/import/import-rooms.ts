import { randomBytes } from "node:crypto";
import { FormatError } from "@soul-hub/soul-formats";
import { participantId } from "../../caller/caller.ts";
import { roomKey, sealSessionToken, splitRoomKey } from "../../chat/rows/room-key.ts";
import type { Db } from "../../db/database.ts";
import { callForRow } from "../../db/sql-functions.ts";
import { type ArchivedMessage, type RoomHead, roomLine } from "../archive-format.ts";
import { isOwnRoom } from "../export/room-files.ts";
import { storeMessages } from "./import-messages.ts";
import {
  type ArchiveImportRun,
  atomic,
  earlierImports,
  importPart,
  isFromHere,
  knownImport,
  past,
  rememberImport,
} from "./import-state.ts";
import { readLines } from "./read-archive.ts";

/** Imports the rooms of an archive as private ones of the importer, each in one transaction. */
export async function importRooms(run: ArchiveImportRun): Promise<void> {
  await atomic(run, (tx) => addEarlierSouls(run, tx));
  for (const path of run.zip.paths.filter((each) => /^rooms\/\d+\.ndjson$/.test(each))) {
    await importPart(run, path, (tx) => importRoom(run, tx, path));
  }
}

/** A large archive comes in parts, so the soul of a room may have come with an earlier one. */
async function addEarlierSouls(run: ArchiveImportRun, tx: Db) {
  const earlier = await earlierImports(tx, run, "soul")
    .innerJoin("souls", "souls.id", "target_id")
    .where("souls.user_id", "=", run.ctx.caller.account.id)
    .execute();
  for (const { source_id, target_id } of earlier) {
    if (!run.soulIds.has(source_id)) run.soulIds.set(source_id, target_id);
  }
}

async function importRoom(run: ArchiveImportRun, tx: Db, path: string): Promise<void> {
  const room = await openRoom(run, path);
  const { head, messages } = room;
  if (await isHere(run, tx, head)) {
    run.done.rooms.unchanged++;
    run.done.lines.unchanged += await countOf(messages);
    return;
  }
  const soulId = await soulHere(run, tx, head.soul_id);
  if (soulId === undefined) throw new FormatError("", "its soul is not on this hub");
  // A dry run has no soul to store a room for, so it only reads the messages.
  const count = run.isDry ? await countOf(messages) : await storeRoom(run, tx, room, soulId);
  if (count === 0) return;
  run.done.rooms.created++;
  run.done.lines.created += count;
}

type OpenRoom = Awaited<ReturnType<typeof openRoom>>;

async function openRoom(run: ArchiveImportRun, path: string) {
  const lines = readLines(run.zip, path, roomLine);
  const { value: head } = await lines.next();
  if (head?.kind !== "room") throw new FormatError("", "does not begin with its room");
  async function* messages(): AsyncGenerator<ArchivedMessage> {
    for await (const line of lines) if (line.kind === "line") yield line;
  }
  return { head, messages: messages() };
}

async function countOf(messages: AsyncIterable<ArchivedMessage>): Promise<number> {
  let count = 0;
  for await (const _ of messages) count++;
  return count;
}

/** Reports whether the account has the room already: from an earlier import, or as its own. */
async function isHere(run: ArchiveImportRun, tx: Db, { id }: RoomHead): Promise<boolean> {
  const known = await knownImport(tx, run, "room", id);
  const there = tx
    .selectFrom("chat_rooms")
    .select("id")
    .where("id", "=", known?.target_id ?? null);
  if (await there.executeTakeFirst()) return true;
  return isFromHere(run) && isOwnRoom(tx, run.ctx.caller, id);
}

/**
 * The soul of a room: one that the archive brought, else on its own hub the soul itself. The lock
 * keeps a deletion away, which may have come since the soul was imported.
 */
async function soulHere(run: ArchiveImportRun, tx: Db, sourceId: number) {
  const imported = run.soulIds.get(sourceId);
  // The souls of a dry run are undone already.
  if (run.isDry && imported !== undefined) return imported;
  const id = imported ?? (isFromHere(run) ? sourceId : null);
  const me = run.ctx.caller.account.id;
  const soul = await tx
    .selectFrom("souls")
    .select("id")
    .where("id", "=", id)
    .where((eb) => eb.or([eb("is_public", "=", 1), eb("user_id", "=", me)]))
    .forKeyShare()
    .executeTakeFirst();
  return soul?.id;
}

/** Stores a room and returns the number of its messages. A room without a message is not kept. */
async function storeRoom(
  run: ArchiveImportRun,
  tx: Db,
  { head, messages }: OpenRoom,
  soulId: number,
): Promise<number> {
  const { ctx } = run;
  const room = await addRoom(run, tx, head, soulId);
  const stored = await storeMessages(run, tx, room.id, messages);
  const { ids, head: last, count, isBranched } = stored;
  if (count === 0) {
    await tx.deleteFrom("chat_rooms").where("id", "=", room.id).execute();
    return 0;
  }
  await tx
    .updateTable("chat_rooms")
    .set({
      head_id: last,
      is_branched: isBranched,
      active_id: head.active_id === null ? null : (ids.get(head.active_id) ?? null),
      summarised_to: ids.get(head.summarised_to) ?? 0,
    })
    .where("id", "=", room.id)
    .execute();
  await tx
    .insertInto("room_people")
    .values({
      room_id: room.id,
      participant: participantId(ctx.caller),
      name: ctx.caller.account.username,
      seen_to: last,
    })
    .execute();
  await rememberImport(tx, run, "room", { source_id: head.id, target_id: room.id, state: last });
  // Others may listen to the room that was empty until now.
  ctx.hub.rooms.forgetLog(room.key);
  return count;
}

/** Adds a private room. Its token is that of the archive, or a new one where that is taken. */
async function addRoom({ ctx }: ArchiveImportRun, tx: Db, head: RoomHead, soulId: number) {
  for (const session_token of [head.session_token, randomBytes(16).toString("base64url")]) {
    const name = { soul_id: soulId, session_token };
    const key = roomKey(name);
    const { begin_room: id } = await callForRow<{ begin_room: number | null }>(tx, "begin_room", {
      of_soul: soulId,
      of_token_hash: splitRoomKey(key).tokenHash,
      of_token_sealed: sealSessionToken(ctx.hub.vault, name),
      asker: participantId(ctx.caller),
    });
    if (id === null) continue;
    await tx
      .updateTable("chat_rooms")
      .set({
        is_private: true,
        title: head.title,
        summary: head.summary,
        created_at: past(head.created_at),
        updated_at: past(head.updated_at),
      })
      .where("id", "=", id)
      .execute();
    return { id, key };
  }
  throw new FormatError("", "cannot get a session token");
}
