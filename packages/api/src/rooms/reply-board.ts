import type { StoredReplies, StoredReply } from "./reply-store.ts";
import type { ReplyEvent, ReplyInProgress } from "./room-events.ts";

interface Entry {
  reply: ReplyInProgress;
  /** The longest text that was heard of: beyond the text itself there is a hole. */
  heardTo: number;
  heardAt: number;
  /** Written by this server, and so known to end whatever the bus loses. */
  own: boolean;
}

interface BoardOptions {
  now: () => number;
  /** A foreign reply is no longer shown after this time without a word or a sign of its server. */
  silenceMs: number;
  /** One that the store has forgotten, and that was silent as long, died with its server. */
  lostMs: number;
}

/** What a foreign event is to those who follow the room. */
export type Hearing = "news" | "known" | "hole";

/** The replies being written, with their text so far, for those who come in the middle. */
export class ReplyBoard {
  readonly #rooms = new Map<string, Map<string, Entry>>();
  /** Foreign ones that are over: what the bus repeats or brings late must not revive them. */
  readonly #ended = new Map<string, number>();
  readonly #options: BoardOptions;

  constructor(options: BoardOptions) {
    this.#options = options;
  }

  get size(): number {
    return [...this.#rooms.values()].reduce((sum, replies) => sum + replies.size, 0);
  }

  /** An event of this server's own: in order, none missing. */
  note(roomKey: string, event: ReplyEvent): void {
    const reply = this.#entry(roomKey, event.reply_id)?.reply;
    if (event.type === "asked") this.#begin(roomKey, event, "", true);
    else if (event.type !== "reply-delta") this.#drop(roomKey, event.reply_id);
    else if (reply) reply.text += event.text;
  }

  /** An event that came through the bus, which may lose, double and reorder. */
  hear(roomKey: string, event: ReplyEvent): Hearing {
    if (this.#ended.has(event.reply_id)) return "known";
    const entry = this.#entry(roomKey, event.reply_id);
    if (event.type === "asked") {
      if (entry) return "known";
      this.#begin(roomKey, event, "", false);
      return "news";
    }
    if (event.type !== "reply-delta") {
      this.#end(roomKey, event.reply_id);
      return "news";
    }
    if (!entry) return "hole";
    const end = event.offset + event.text.length;
    entry.heardTo = Math.max(entry.heardTo, end);
    entry.heardAt = this.#options.now();
    if (event.offset > entry.reply.text.length) return "hole";
    if (end <= entry.reply.text.length) return "known";
    entry.reply.text = entry.reply.text.slice(0, event.offset) + event.text;
    return "news";
  }

  /** Takes what the store holds; answers what those who follow the room have missed. */
  merge(roomKey: string, { replies, isWhole }: StoredReplies): ReplyEvent[] {
    const news = replies.flatMap(({ reply, end }) => this.#mergeOne(roomKey, reply, end));
    if (!isWhole) return news;
    const alive = new Set(replies.map(({ reply }) => reply.reply_id));
    const silentSince = this.#options.now() - this.#options.lostMs;
    for (const [reply_id, { own, heardAt }] of this.#rooms.get(roomKey) ?? []) {
      if (own || alive.has(reply_id) || heardAt > silentSince) continue;
      this.#end(roomKey, reply_id);
      news.push({ type: "reply-failed", reply_id, error: "internal" });
    }
    return news;
  }

  #mergeOne(roomKey: string, reply: ReplyInProgress, end: StoredReply["end"]): ReplyEvent[] {
    const { reply_id, sender_name, content, text } = reply;
    const entry = this.#entry(roomKey, reply_id);
    if (entry?.own || this.#ended.has(reply_id) || (end && !entry)) return [];
    const news: ReplyEvent[] = [];
    const offset = entry?.reply.text.length ?? 0;
    if (!entry) news.push({ type: "asked", reply_id, sender_name, content });
    if (text.length > offset) {
      news.push({ type: "reply-delta", reply_id, offset, text: text.slice(offset) });
    }
    if (end) {
      this.#end(roomKey, reply_id);
      return [...news, end];
    }
    this.#begin(roomKey, reply, text.length > offset ? text : (entry?.reply.text ?? ""), false);
    return news;
  }

  list(roomKey: string): ReplyInProgress[] {
    const silentSince = this.#options.now() - this.#options.silenceMs;
    return (
      [...(this.#rooms.get(roomKey)?.values() ?? [])]
        .filter(({ own, heardAt }) => own || heardAt > silentSince)
        // A text with a hole is shown to nobody.
        .filter(({ own, reply, heardTo }) => own || reply.text.length >= heardTo)
        .map((entry) => ({ ...entry.reply }))
    );
  }

  /** The rooms in which this server writes a reply. */
  ownRooms(): string[] {
    return [...this.#rooms]
      .filter(([, replies]) => [...replies.values()].some(({ own }) => own))
      .map(([roomKey]) => roomKey);
  }

  hasForeign(roomKey: string): boolean {
    return [...(this.#rooms.get(roomKey)?.values() ?? [])].some(({ own }) => !own);
  }

  /** Called when the room closes here: from then on nobody would hear those replies end. */
  dropForeign(roomKey: string): void {
    const replies = this.#rooms.get(roomKey);
    for (const [id, entry] of replies ?? []) if (!entry.own) replies?.delete(id);
    if (replies?.size === 0) this.#rooms.delete(roomKey);
  }

  #entry(roomKey: string, replyId: string): Entry | undefined {
    return this.#rooms.get(roomKey)?.get(replyId);
  }

  #begin(
    roomKey: string,
    { reply_id, sender_name, content }: Omit<ReplyInProgress, "text">,
    text: string,
    own: boolean,
  ): void {
    const replies = this.#rooms.get(roomKey) ?? new Map<string, Entry>();
    const reply = { reply_id, sender_name, content, text };
    const heardAt = this.#options.now();
    const entry = { reply, heardTo: text.length, heardAt, own };
    this.#rooms.set(roomKey, replies.set(reply_id, entry));
  }

  #drop(roomKey: string, replyId: string): void {
    const replies = this.#rooms.get(roomKey);
    replies?.delete(replyId);
    if (replies?.size === 0) this.#rooms.delete(roomKey);
  }

  #end(roomKey: string, replyId: string): void {
    this.#drop(roomKey, replyId);
    const forgotten = this.#options.now() - this.#options.silenceMs;
    // The oldest stand first.
    for (const [known, at] of this.#ended) {
      if (at > forgotten) break;
      this.#ended.delete(known);
    }
    this.#ended.set(replyId, this.#options.now());
  }
}
