import { sql } from "kysely";
import { participantId } from "../../accounts/caller.ts";
import type { StoredMadeBy } from "../../chat/chat-message.entity.ts";
import type { Db } from "../../db/database.ts";
import type { ArchivedMessage } from "./archived-room.ts";
import { type ArchiveImportRun, isFromHere } from "./import-state.ts";

/** The sender of a message whose author is no account of this hub. */
const FOREIGN = "imported";
/** Messages of one statement, and the characters after which a statement ends earlier. */
const BATCH = 1_000;
const BATCH_CHARS = 500_000;

/** The messages of an imported room, which become rows in batches. */
export class ImportedMessages {
  /** The ids on this hub by those of the archive. */
  readonly ids = new Map<number, number>([[0, 0]]);
  head = 0;
  isBranched = false;
  count = 0;
  readonly #run: ArchiveImportRun;
  readonly #tx: Db;
  readonly #roomId: number;
  #waiting: ArchivedMessage[] = [];
  #chars = 0;

  constructor(run: ArchiveImportRun, tx: Db, roomId: number) {
    this.#run = run;
    this.#tx = tx;
    this.#roomId = roomId;
  }

  async add(message: ArchivedMessage): Promise<void> {
    this.#waiting.push(message);
    this.#chars += message.content.length;
    if (this.#waiting.length === BATCH || this.#chars > BATCH_CHARS) await this.flush();
  }

  async flush(): Promise<void> {
    const messages = this.#waiting;
    if (messages.length === 0) return;
    this.#waiting = [];
    this.#chars = 0;
    // A message may continue one of the same batch, so the ids come first.
    const { rows } = await sql<{ id: number }>`
      select nextval(pg_get_serial_sequence('chat_messages', 'id'))::bigint as id
      from generate_series(1, ${messages.length}::int)`.execute(this.#tx);
    const lines = messages.map((message, at) => this.#toRow(message, Number(rows[at]?.id)));
    // One parameter takes a third less time than one for each value; an embedded hub waits meanwhile.
    await sql`
      insert into chat_messages (id, room_id, prev_id, parent_id, role, sender, sender_name,
        content, audience, made_by, imported, created_at, edited_at, edited_by, removed_at)
      select id, ${this.#roomId}::bigint, prev_id, parent_id, role, sender, sender_name,
        content, audience, made_by, true, least(created_at, hub_now()),
        case when edited_at is not null then least(edited_at, hub_now()) end, edited_by,
        case when removed then least(created_at, hub_now()) end
      from json_to_recordset(${JSON.stringify(lines)}::json) as line(
        id bigint, prev_id bigint, parent_id bigint, role text, sender text, sender_name text,
        content text, audience text, made_by jsonb, created_at timestamptz,
        edited_at timestamptz, edited_by text, removed boolean)`.execute(this.#tx);
    this.count += messages.length;
  }

  #toRow(message: ArchivedMessage, id: number) {
    const { ctx } = this.#run;
    const { role, audience, content, created_at, edited_at, removed } = message;
    const prev_id = this.head;
    const parent_id = message.parent_id === null ? null : (this.ids.get(message.parent_id) ?? null);
    this.isBranched ||= parent_id !== null && parent_id !== prev_id;
    this.head = id;
    this.ids.set(message.id, id);
    const isMine = message.is_mine && role === "user";
    const mine = isMine ? participantId(ctx.caller) : FOREIGN;
    return {
      id,
      prev_id,
      parent_id,
      role,
      sender: role === "assistant" ? "soul" : mine,
      sender_name: isMine ? ctx.caller.account.username : message.sender_name,
      content,
      audience,
      made_by: this.#madeBy(message),
      created_at,
      edited_at,
      edited_by: this.#nameHere(message.edited_by),
      removed,
    };
  }

  /** The exporter is the importer, who may have another name here. */
  #nameHere(name: string | null): string | null {
    const { ctx, manifest } = this.#run;
    return name === manifest.username ? ctx.caller.account.username : name;
  }

  /** The number of a soul on another hub is another soul here, so it is not kept. */
  #madeBy({ made_by }: ArchivedMessage): StoredMadeBy | null {
    if (!made_by) return null;
    const soul_id =
      this.#run.soulIds.get(made_by.soul_id) ??
      (isFromHere(this.#run) ? made_by.soul_id : undefined);
    return soul_id === undefined ? null : { ...made_by, soul_id };
  }
}
