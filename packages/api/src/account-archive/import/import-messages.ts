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
    const values = messages.map((message, at) => this.#toRow(message, Number(rows[at]?.id)));
    await this.#tx.insertInto("chat_messages").values(values).execute();
    this.count += messages.length;
  }

  #toRow(message: ArchivedMessage, id: number): Insertable<Tables["chat_messages"]> {
    const { ctx } = this.#run;
    const prev_id = this.head;
    const parent_id = message.parent_id === null ? null : (this.ids.get(message.parent_id) ?? null);
    this.isBranched ||= parent_id !== null && parent_id !== prev_id;
    this.head = id;
    this.ids.set(message.id, id);
    const isMine = message.is_mine && message.role === "user";
    const mine = isMine ? participantId(ctx.caller) : FOREIGN;
    return {
      id,
      room_id: this.#roomId,
      prev_id,
      parent_id,
      role: message.role,
      sender: message.role === "assistant" ? "soul" : mine,
      sender_name: isMine ? ctx.caller.account.username : message.sender_name,
      content: message.content,
      audience: message.audience,
      made_by: this.#madeBy(message),
      imported: true,
      created_at: past(message.created_at),
      edited_at: message.edited_at === null ? null : past(message.edited_at),
      edited_by: this.#nameHere(message.edited_by),
      removed_at: message.removed ? past(message.created_at) : null,
    } as Insertable<Tables["chat_messages"]>;
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
