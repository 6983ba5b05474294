import { type Insertable, sql } from "kysely";
import { participantId } from "../../caller/caller.ts";
import type { StoredMadeBy } from "../../chat/chat-message.entity.ts";
import type { Db, Tables } from "../../db/database.ts";
import type { ArchivedMessage } from "../archive-format.ts";
import { type ArchiveImportRun, isFromHere, past } from "./import-state.ts";

/** The sender of a message whose author is no account of this hub. */
const FOREIGN = "imported";
/** Messages of one statement, and the characters after which a statement ends earlier. */
const BATCH = 200;
const BATCH_CHARS = 500_000;

/** Stores the messages of an imported room, which get new ids. */
export async function storeMessages(
  run: ArchiveImportRun,
  tx: Db,
  room_id: number,
  messages: AsyncIterable<ArchivedMessage>,
) {
  const { ctx, manifest } = run;
  /** The ids on this hub by those of the archive. */
  const ids = new Map<number, number>([[0, 0]]);
  let head = 0;
  let isBranched = false;
  let count = 0;
  for await (const batch of batchesOf(messages)) {
    // A message may continue one of the same batch, so the ids come first.
    const { rows } = await sql<{ id: number }>`
      select nextval(pg_get_serial_sequence('chat_messages', 'id'))::bigint as id
      from generate_series(1, ${batch.length}::int)`.execute(tx);
    const values = batch.map((message, at) => toRow(message, Number(rows[at]?.id)));
    await tx.insertInto("chat_messages").values(values).execute();
    count += batch.length;
  }
  return { ids, head, isBranched, count };

  function toRow(message: ArchivedMessage, id: number): Insertable<Tables["chat_messages"]> {
    const prev_id = head;
    const parent_id = message.parent_id === null ? null : (ids.get(message.parent_id) ?? null);
    isBranched ||= parent_id !== null && parent_id !== prev_id;
    head = id;
    ids.set(message.id, id);
    const isMine = message.is_mine && message.role === "user";
    const mine = isMine ? participantId(ctx.caller) : FOREIGN;
    return {
      id,
      room_id,
      prev_id,
      parent_id,
      role: message.role,
      sender: message.role === "assistant" ? "soul" : mine,
      sender_name: isMine ? ctx.caller.account.username : message.sender_name,
      content: message.content,
      audience: message.audience,
      made_by: madeByHere(run, message),
      imported: true,
      created_at: past(message.created_at),
      edited_at: message.edited_at === null ? null : past(message.edited_at),
      // The importer has exported these lines, perhaps under another name.
      edited_by:
        message.edited_by === manifest.username ? ctx.caller.account.username : message.edited_by,
      removed_at: message.removed ? past(message.created_at) : null,
    } as Insertable<Tables["chat_messages"]>;
  }
}

async function* batchesOf(messages: AsyncIterable<ArchivedMessage>) {
  let batch: ArchivedMessage[] = [];
  let chars = 0;
  for await (const message of messages) {
    batch.push(message);
    chars += message.content.length;
    if (batch.length < BATCH && chars <= BATCH_CHARS) continue;
    yield batch;
    batch = [];
    chars = 0;
  }
  if (batch.length > 0) yield batch;
}

/** The number of a soul on another hub is another soul here, so it is not kept. */
function madeByHere(run: ArchiveImportRun, { made_by }: ArchivedMessage): StoredMadeBy | null {
  if (!made_by) return null;
  const soul_id =
    run.soulIds.get(made_by.soul_id) ?? (isFromHere(run) ? made_by.soul_id : undefined);
  return soul_id === undefined ? null : { ...made_by, soul_id };
}
