import { sql } from "kysely";
import { announceChange } from "../../chat/storing/announce-change.ts";
import type { Hub } from "../../context.ts";
import type { Db } from "../../db/database.ts";
import { HubError } from "../../errors.ts";
import { openEvidence, sealEvidence } from "../evidence/evidence.queries.ts";
import type { Announce, Deed } from "./deed.ts";

/** What a removal takes, as restore_message writes it back. */
interface Removed {
  line: { content: string };
  reactions: object[];
  summaries: object[];
  /** The room's present summary before the removal, and after it. */
  before: object;
  after: object;
}

/**
 * Removes the message of a case as its author could. Seals the removed text, the reactions and the
 * summaries that may repeat the text (0062).
 * @throws HubError `message_not_found` if there is no such message, or no more
 */
export async function removeByStaff(tx: Db, { hub, subject }: Deed): Promise<Announce> {
  const { room_id, message_id } = subject;
  const room = await lockRoom(tx, room_id);
  const taken = room && (await readTaken(tx, message_id));
  if (!taken) throw new HubError("message_not_found");
  await sql`select purge_message(${room_id}, ${message_id}, 'moderator')`.execute(tx);
  const after = await presentSummary(tx, room_id);
  const text = JSON.stringify({ ...taken, after } satisfies Removed);
  await sealEvidence(tx, hub.vault, { caseId: subject.id, kind: "removed", text });
  return announceLine(hub, room, message_id);
}

/**
 * Restores the removed message of a case under a new revision (0062). Does nothing if the room or
 * the message is gone.
 * @returns `lost` if the sealed text was deleted with the time for an appeal
 */
export async function restoreRemoved(
  tx: Db,
  { hub, subject }: Deed,
): Promise<Announce | "lost" | undefined> {
  const { id: caseId, room_id, message_id } = subject;
  const room = await lockRoom(tx, room_id);
  const isRemoved =
    room &&
    (await tx
      .selectFrom("chat_messages")
      .select("id")
      .where("id", "=", message_id)
      .where("removed_by", "=", "moderator")
      .executeTakeFirst());
  if (!isRemoved) return undefined;
  const sealed = (await openEvidence(tx, hub.vault, { caseId, kind: "removed" })).at(-1);
  if (!sealed) return "lost";
  await sql`select restore_message(${room_id}, ${message_id}, ${sealed.text}::jsonb)`.execute(tx);
  return announceLine(hub, room, message_id);
}

interface LockedRoom {
  key: string;
  revision: number;
}

/** Locks a room, as every change of its messages does. */
const lockRoom = (tx: Db, roomId: number | null): Promise<LockedRoom | undefined> =>
  tx
    .selectFrom("chat_rooms")
    .select([sql<string>`soul_id || '/' || token_hash`.as("key"), "revision"])
    .where("id", "=", roomId)
    .forUpdate()
    .executeTakeFirst();

async function readTaken(
  tx: Db,
  messageId: number | null,
): Promise<Omit<Removed, "after"> | undefined> {
  const { rows } = await sql<Omit<Removed, "after">>`
    select to_json(line) as line,
      coalesce((select json_agg(known) from message_reactions as known
        where known.message_id = line.id), '[]') as reactions,
      coalesce((select json_agg(kept) from room_summaries as kept
        where kept.room_id = line.room_id), '[]') as summaries,
      (select json_build_object('summary', summary, 'summarised_to', summarised_to)
        from chat_rooms where chat_rooms.id = line.room_id) as before
    from chat_messages as line
    where line.id = ${messageId} and line.removed_at is null`.execute(tx);
  return rows[0];
}

const presentSummary = (tx: Db, roomId: number | null): Promise<object> =>
  tx
    .selectFrom("chat_rooms")
    .select(["summary", "summarised_to"])
    .where("id", "=", roomId)
    .executeTakeFirstOrThrow();

/** Each change of one message takes one revision of its room. */
const announceLine =
  (hub: Hub, { key, revision }: LockedRoom, messageId: number | null): Announce =>
  () => {
    const step = { prev_revision: revision, revision: revision + 1 };
    const change = { changesRoom: true, ...(messageId !== null && { messageId }) };
    hub.inBackground("announcing a moderated message", announceChange(hub, key, step, change));
  };
