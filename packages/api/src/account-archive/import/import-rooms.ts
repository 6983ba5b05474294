import { randomBytes } from "node:crypto";
import { sql } from "kysely";
import { z } from "zod";
import { participantId } from "../../accounts/caller.ts";
import { roomKey, sealSessionToken, splitRoomKey } from "../../chat/access/room-key.ts";
import type { StoredMadeBy } from "../../chat/chat-message.entity.ts";
import { madeBy } from "../../chat/provenance/made-by.schema.ts";
import type { Db } from "../../db/database.ts";
import { reasonOf } from "./import-souls.ts";
import { type ArchiveImportRun, knownImport, rememberImport } from "./import-state.ts";
import { readLines } from "./read-archive.ts";

const time = z.string().regex(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
const text = (maxLength: number) =>
  z
    .string()
    .max(maxLength)
    .refine((given) => given.isWellFormed() && !given.includes("\0"));
const messageId = z.int().min(0);

const roomLine = z.object({
  kind: z.literal("room"),
  id: messageId,
  soul_id: messageId,
  session_token: text(200).min(1),
  title: text(200).nullable(),
  summary: text(10_000).nullable(),
  summarised_to: messageId,
  active_id: messageId.nullable(),
  created_at: time,
  updated_at: time,
});

const messageLine = z.object({
  kind: z.literal("line"),
  id: messageId,
  prev_id: messageId,
  parent_id: messageId.nullable(),
  role: z.enum(["user", "assistant"]),
  is_mine: z.boolean(),
  sender_name: text(200),
  content: text(1_000_000),
  audience: z.enum(["room", "people"]),
  created_at: time,
  edited_at: time.nullable(),
  edited_by: text(200).nullable(),
  removed: z.boolean(),
  made_by: madeBy.omit({ edited_by: true }).nullable(),
});

const anyLine = z.discriminatedUnion("kind", [roomLine, messageLine]);
type RoomHead = z.output<typeof roomLine>;
type Message = z.output<typeof messageLine>;

const past = (given: string) => sql<string>`least(${given}::timestamptz, hub_now())`;
/** The sender of a message whose author is no account of this hub. */
const FOREIGN = "imported";

/** Imports the rooms of an archive as private ones of the importer, each in one transaction. */
export async function importRooms(run: ArchiveImportRun): Promise<void> {
  await run.atomic((tx) => addEarlierSouls(run, tx));
  for (const path of run.zip.paths.filter((each) => /^rooms\/\d+\.ndjson$/.test(each))) {
    try {
      await run.atomic((tx) => importRoom(run, tx, path));
    } catch (error) {
      const reason = reasonOf(error);
      if (reason === null) throw error;
      run.skipped.push({ path, reason });
    }
  }
}

/** A large archive comes in parts, so the soul of a room may have come with an earlier one. */
async function addEarlierSouls({ ctx, manifest, soulIds }: ArchiveImportRun, tx: Db) {
  const { id } = ctx.caller.account;
  const earlier = await tx
    .selectFrom("archive_imports")
    .innerJoin("souls", "souls.id", "archive_imports.target_id")
    .select(["archive_imports.source_id", "archive_imports.target_id"])
    .where("archive_imports.account_id", "=", id)
    .where("archive_imports.hub_id", "=", manifest.hub_id)
    .where("archive_imports.kind", "=", "soul")
    .where("souls.user_id", "=", id)
    .execute();
  for (const { source_id, target_id } of earlier) {
    if (!soulIds.has(source_id)) soulIds.set(source_id, target_id);
  }
}

async function importRoom(run: ArchiveImportRun, tx: Db, path: string): Promise<void> {
  const lines = readLines(run.zip, path, anyLine);
  const { value: head } = await lines.next();
  if (head?.kind !== "room")
    return void run.skipped.push({ path, reason: "does not begin with its room" });
  const known = await knownImport(tx, run, "room", head.id);
  if (known && (await isThere(tx, known.target_id))) {
    run.done.rooms.unchanged++;
    for await (const _ of lines) run.done.lines.unchanged++;
    return;
  }
  const soulId = await soulHere(run, tx, head.soul_id);
  if (soulId === undefined) {
    return void run.skipped.push({ path, reason: "its soul is not on this hub" });
  }
  const room = await addRoom(run, tx, head, soulId);
  if (!room) return void run.skipped.push({ path, reason: "the room is on this hub already" });
  const ids = new Map<number, number>([[0, 0]]);
  let last = 0;
  let count = 0;
  let isBranched = false;
  for await (const line of lines) {
    if (line.kind !== "line") continue;
    const parent = line.parent_id === null ? null : (ids.get(line.parent_id) ?? null);
    isBranched ||= parent !== null && parent !== last;
    last = await addLine(run, tx, { roomId: room.id, prevId: last, parentId: parent }, line);
    ids.set(line.id, last);
    count++;
  }
  if (last === 0) {
    await tx.deleteFrom("chat_rooms").where("id", "=", room.id).execute();
    return;
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
      participant: participantId(run.ctx.caller),
      name: run.ctx.caller.account.username,
      seen_to: last,
    })
    .execute();
  await rememberImport(tx, run, "room", { source_id: head.id, target_id: room.id, state: last });
  run.done.rooms.created++;
  run.done.lines.created += count;
  if (!run.isDry) run.ctx.hub.rooms.forgetLog(room.key);
}

const isThere = async (tx: Db, id: number) =>
  (await tx.selectFrom("chat_rooms").select("id").where("id", "=", id).executeTakeFirst()) !==
  undefined;

/** The soul of a room: one that the archive brought, else on its own hub the soul itself. */
async function soulHere(run: ArchiveImportRun, tx: Db, sourceId: number) {
  const imported = run.soulIds.get(sourceId);
  if (imported !== undefined) return imported;
  if (run.manifest.hub_id !== run.ctx.hub.database.id) return undefined;
  const me = run.ctx.caller.account.id;
  const soul = await tx
    .selectFrom("souls")
    .select("id")
    .where("id", "=", sourceId)
    .where((eb) => eb.or([eb("is_public", "=", 1), eb("user_id", "=", me)]))
    .executeTakeFirst();
  return soul?.id;
}

/** Adds a private room. Its token is that of the archive, or a new one where a room has that. */
async function addRoom({ ctx }: ArchiveImportRun, tx: Db, head: RoomHead, soulId: number) {
  for (const session_token of [head.session_token, randomBytes(16).toString("base64url")]) {
    const name = { soul_id: soulId, session_token };
    const key = roomKey(name);
    const made = await tx
      .insertInto("chat_rooms")
      .values({
        soul_id: soulId,
        token_hash: splitRoomKey(key).tokenHash,
        token_sealed: sealSessionToken(ctx.hub.vault, name),
        owner: participantId(ctx.caller),
        is_private: true,
        title: head.title,
        summary: head.summary,
        created_at: past(head.created_at),
        updated_at: past(head.updated_at),
      })
      .onConflict((taken) => taken.doNothing())
      .returning("id")
      .executeTakeFirst();
    if (made) return { id: made.id, key };
  }
  return undefined;
}

async function addLine(
  run: ArchiveImportRun,
  tx: Db,
  at: { roomId: number; prevId: number; parentId: number | null },
  line: Message,
): Promise<number> {
  const me = participantId(run.ctx.caller);
  const sender = line.role === "assistant" ? "soul" : line.is_mine ? me : FOREIGN;
  const made = line.made_by && {
    ...line.made_by,
    soul_id: run.soulIds.get(line.made_by.soul_id) ?? line.made_by.soul_id,
  };
  const { id } = await tx
    .insertInto("chat_messages")
    .values({
      room_id: at.roomId,
      prev_id: at.prevId,
      parent_id: at.parentId,
      role: line.role,
      sender,
      sender_name: line.is_mine ? run.ctx.caller.account.username : line.sender_name,
      content: line.content,
      audience: line.audience,
      made_by: made as StoredMadeBy | null,
      imported: true,
      created_at: past(line.created_at),
      edited_at: line.edited_at === null ? null : past(line.edited_at),
      edited_by: line.edited_by,
      removed_at: line.removed ? past(line.created_at) : null,
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  return id;
}
