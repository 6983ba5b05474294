import type { AskedEvent, ReplyEvent, ReplyInProgress, ReplyQuestion } from "../room-events.ts";
import type { StoredReplies, StoredReply } from "./reply-store.ts";

interface Entry {
  reply: ReplyInProgress;
  /** The end of the furthest delta received. If it is beyond the text's end, a delta is missing. */
  receivedTo: number;
  receivedAt: number;
  /** True for a reply that this server writes: the tracker receives all of its events. */
  isLocal: boolean;
}

interface TrackerOptions {
  now: () => number;
  /** A reply of another server is hidden after this many milliseconds without an event. */
  silenceMs: number;
  /** A reply that the store lacks has failed after this many milliseconds without an event. */
  lostMs: number;
}

/** The effect of another server's event. `gap`: an earlier event must be read from the store. */
export type RemoteOutcome = "new" | "known" | "gap";

/** Holds replies in progress with their text so far, for clients that join during a reply. */
export class ReplyTracker {
  readonly #rooms = new Map<string, Map<string, Entry>>();
  /** Ended replies of other servers, with end times: a late event must not revive a reply. */
  readonly #ended = new Map<string, number>();
  readonly #options: TrackerOptions;

  constructor(options: TrackerOptions) {
    this.#options = options;
  }

  get size(): number {
    return [...this.#rooms.values()].reduce((sum, replies) => sum + replies.size, 0);
  }

  /** Applies an event of this server's reply. Such events arrive in order and without a gap. */
  applyLocal(roomKey: string, event: ReplyEvent): void {
    const reply = this.#entry(roomKey, event.reply_id)?.reply;
    if (event.type === "asked") this.#begin(roomKey, questionOf(event), "", true);
    else if (event.type !== "reply-delta") this.#drop(roomKey, event.reply_id);
    else if (reply) reply.text += event.text;
  }

  /** Applies an event from the bus, which may lose, repeat and reorder events. */
  applyRemote(roomKey: string, event: ReplyEvent): RemoteOutcome {
    if (this.#ended.has(event.reply_id)) return "known";
    const entry = this.#entry(roomKey, event.reply_id);
    if (event.type === "asked") {
      if (entry) return "known";
      this.#begin(roomKey, questionOf(event), "", false);
      return "new";
    }
    if (event.type !== "reply-delta") {
      this.#end(roomKey, event.reply_id);
      return "new";
    }
    if (!entry) return "gap";
    const end = event.offset + event.text.length;
    entry.receivedTo = Math.max(entry.receivedTo, end);
    entry.receivedAt = this.#options.now();
    if (event.offset > entry.reply.text.length) return "gap";
    if (end <= entry.reply.text.length) return "known";
    entry.reply.text = entry.reply.text.slice(0, event.offset) + event.text;
    return "new";
  }

  /** Takes over stored replies. Returns the events that this server's clients missed. */
  reconcile(roomKey: string, { replies, isComplete }: StoredReplies): ReplyEvent[] {
    const missed = replies.flatMap(({ reply, end }) => this.#reconcileOne(roomKey, reply, end));
    if (!isComplete) return missed;
    const stored = new Set(replies.map(({ reply }) => reply.reply_id));
    const silentSince = this.#options.now() - this.#options.lostMs;
    for (const [reply_id, { isLocal, receivedAt }] of this.#rooms.get(roomKey) ?? []) {
      if (isLocal || stored.has(reply_id) || receivedAt > silentSince) continue;
      this.#end(roomKey, reply_id);
      missed.push({ type: "reply-failed", reply_id, error: "internal" });
    }
    return missed;
  }

  #reconcileOne(roomKey: string, reply: ReplyInProgress, end: StoredReply["end"]): ReplyEvent[] {
    const { text, ...question } = reply;
    const { reply_id } = question;
    const entry = this.#entry(roomKey, reply_id);
    if (entry?.isLocal || this.#ended.has(reply_id) || (end && !entry)) return [];
    const missed: ReplyEvent[] = [];
    const offset = entry?.reply.text.length ?? 0;
    if (!entry) missed.push({ type: "asked", ...question });
    // The message of a stored reply may have been edited or removed since. It replaces the text.
    if (text.length > offset && end?.type !== "reply-done") {
      missed.push({ type: "reply-delta", reply_id, offset, text: text.slice(offset) });
    }
    if (end) {
      this.#end(roomKey, reply_id);
      return [...missed, end];
    }
    this.#begin(roomKey, question, text.length > offset ? text : (entry?.reply.text ?? ""), false);
    return missed;
  }

  list(roomKey: string): ReplyInProgress[] {
    const silentSince = this.#options.now() - this.#options.silenceMs;
    return (
      [...(this.#rooms.get(roomKey)?.values() ?? [])]
        .filter(({ isLocal, receivedAt }) => isLocal || receivedAt > silentSince)
        // Leaves out a reply whose text lacks a delta.
        .filter(({ isLocal, reply, receivedTo }) => isLocal || reply.text.length >= receivedTo)
        .map((entry) => ({ ...entry.reply }))
    );
  }

  /** The rooms in which this server writes a reply. */
  localRooms(): string[] {
    return [...this.#rooms]
      .filter(([, replies]) => [...replies.values()].some(({ isLocal }) => isLocal))
      .map(([roomKey]) => roomKey);
  }

  hasRemote(roomKey: string): boolean {
    return [...(this.#rooms.get(roomKey)?.values() ?? [])].some(({ isLocal }) => !isLocal);
  }

  /** Drops other servers' replies when the room closes: this server would miss their ends. */
  dropRemote(roomKey: string): void {
    const replies = this.#rooms.get(roomKey);
    for (const [id, entry] of replies ?? []) if (!entry.isLocal) replies?.delete(id);
    if (replies?.size === 0) this.#rooms.delete(roomKey);
  }

  #entry(roomKey: string, replyId: string): Entry | undefined {
    return this.#rooms.get(roomKey)?.get(replyId);
  }

  #begin(roomKey: string, question: ReplyQuestion, text: string, isLocal: boolean): void {
    const replies = this.#rooms.get(roomKey) ?? new Map<string, Entry>();
    const reply = { ...question, text };
    const entry = { reply, receivedTo: text.length, receivedAt: this.#options.now(), isLocal };
    this.#rooms.set(roomKey, replies.set(question.reply_id, entry));
  }

  #drop(roomKey: string, replyId: string): void {
    const replies = this.#rooms.get(roomKey);
    replies?.delete(replyId);
    if (replies?.size === 0) this.#rooms.delete(roomKey);
  }

  #end(roomKey: string, replyId: string): void {
    this.#drop(roomKey, replyId);
    const forgetBefore = this.#options.now() - this.#options.silenceMs;
    // Ended replies are ordered by time, oldest first, so the loop stops at the first recent one.
    for (const [known, at] of this.#ended) {
      if (at > forgetBefore) break;
      this.#ended.delete(known);
    }
    this.#ended.set(replyId, this.#options.now());
  }
}

const questionOf = ({ type: _, ...question }: AskedEvent): ReplyQuestion => question;
