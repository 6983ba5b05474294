import { type SqlBool, sql } from "kysely";
import type { CallContext } from "../../context.ts";
import type { Db } from "../../db/database.ts";
import { HubError } from "../../errors.ts";
import type { RoomLine } from "../../rooms/room-events.ts";
import { collectNewest } from "../history/collect-messages.ts";
import { type MessageRow, messageColumns, toMessage } from "../rows/message-row.ts";
import { titleOf } from "../rows/room-settings.queries.ts";

/** A share shows the newest open messages of its path, within these bounds (0042). */
const BOUNDS = { messages: 500, chars: 2_000_000, pageSize: 100, readAtMost: 5_000 };

export interface ShareRecord {
  id: string;
  room_id: number;
  soul_id: number;
  soul_title: string;
  title: string | null;
  to_id: number;
  with_names: boolean;
}

/**
 * Reads a share that may be shown: the room's soul is public and without an NFT gate, and
 * neither the hub's staff have closed the room nor is the account of its owner being deleted (0063).
 * @throws HubError `share_not_found`
 */
export async function findShare(db: Db, id: string): Promise<ShareRecord> {
  return db
    .selectFrom("room_shares")
    .innerJoin("chat_rooms", "chat_rooms.id", "room_shares.room_id")
    .innerJoin("souls", "souls.id", "chat_rooms.soul_id")
    .select([
      "room_shares.id",
      "room_id",
      "chat_rooms.soul_id",
      "souls.title as soul_title",
      "chat_rooms.title",
      "to_id",
      "with_names",
    ])
    .where("room_shares.id", "=", id)
    .where("souls.is_public", "=", 1)
    .where("souls.nft_contract", "is", null)
    .where(sql<SqlBool>`owner_refusal(chat_rooms.owner, '') is null`)
    .where("chat_rooms.is_closed", "=", false)
    .executeTakeFirstOrThrow(() => new HubError("share_not_found"));
}

/**
 * Reads a shared conversation in its present state: GET /api/share/{share_id} (0042).
 * @throws HubError `share_not_found`
 */
export async function readShare({ db }: Pick<CallContext, "db">, id: string) {
  const share = await findShare(db, id);
  const { rows, is_complete } = await readSharedRows(db, share);
  const names = share.with_names ? undefined : new Pseudonyms();
  const messages = rows.map((row) => present(row, names));
  const { soul_id, soul_title } = share;
  // The automatic title of the room may come from a message that is not shared.
  const title = titleOf({ title: share.title, first_message: messages[0]?.content ?? null });
  return { title, soul_id, soul_title, messages, is_complete };
}

interface SharedRow extends MessageRow {
  sender: string;
}

async function readSharedRows(db: Db, { room_id, to_id }: ShareRecord) {
  const read = async (limit: number, beforeId?: number) => {
    const { rows } = await sql<SharedRow>`
      select ${messageColumns}, line.sender
      from path_messages(${room_id}, ${to_id}, ${beforeId ?? null}, ${limit}) as line
      order by line.id`.execute(db);
    return rows;
  };
  const isWanted = ({ audience, is_removed }: SharedRow) => audience === "room" && !is_removed;
  const { messages, is_complete } = await collectNewest(read, { ...BOUNDS, isWanted });
  return { rows: messages, is_complete };
}

/** Names the participants of a share "Person 1", "Person 2" and so on, as they come. */
class Pseudonyms {
  readonly #names = new Map<string, string>();

  of(sender: string): string {
    const known = this.#names.get(sender);
    if (known) return known;
    const name = `Person ${this.#names.size + 1}`;
    this.#names.set(sender, name);
    return name;
  }
}

type SharedMessage = Pick<
  RoomLine,
  "id" | "role" | "sender_name" | "content" | "created_at" | "made_by" | "edited_at" | "imported"
>;

/** Presents a message without reactions, which hold names, and with the chosen names. */
function present(row: SharedRow, names: Pseudonyms | undefined): SharedMessage {
  const { id, role, content, sender_name, made_by, edited_at, imported } = toMessage(row);
  const isPerson = role === "user";
  return {
    id,
    role,
    sender_name: names && isPerson ? names.of(row.sender) : sender_name,
    content,
    created_at: row.created_at,
    ...(!isPerson && { made_by: made_by && names ? { ...made_by, edited_by: null } : made_by }),
    ...(edited_at !== undefined && { edited_at }),
    ...(imported && { imported }),
  };
}
