import type { ReplyEvent, ReplyInProgress } from "./room-events.ts";

interface Entry {
  reply: ReplyInProgress;
  heardAt: number;
  /** Written by this server, and so known to end whatever the bus loses. */
  own: boolean;
}

interface BoardOptions {
  now: () => number;
  silenceMs: number;
}

/** The replies being written, with their text so far, for those who come in the middle. */
export class ReplyBoard {
  readonly #rooms = new Map<string, Map<string, Entry>>();
  readonly #options: BoardOptions;

  constructor(options: BoardOptions) {
    this.#options = options;
  }

  get size(): number {
    return [...this.#rooms.values()].reduce((sum, replies) => sum + replies.size, 0);
  }

  note(roomKey: string, event: ReplyEvent, own: boolean): void {
    const replies = this.#rooms.get(roomKey) ?? new Map<string, Entry>();
    const heardAt = this.#options.now();
    const { reply_id } = event;
    if (event.type === "asked") {
      const { sender_name, content } = event;
      const reply = { reply_id, sender_name, content, text: "" };
      this.#rooms.set(roomKey, replies.set(reply_id, { reply, heardAt, own }));
      return;
    }
    const entry = replies.get(reply_id);
    if (!entry) return;
    // A delta was lost on the bus: a text with a hole is shown to nobody.
    const whole = event.type === "reply-delta" && event.offset <= entry.reply.text.length;
    if (whole) {
      entry.reply.text = entry.reply.text.slice(0, event.offset) + event.text;
      entry.heardAt = heardAt;
      return;
    }
    replies.delete(reply_id);
    if (replies.size === 0) this.#rooms.delete(roomKey);
  }

  list(roomKey: string): ReplyInProgress[] {
    const silentSince = this.#options.now() - this.#options.silenceMs;
    return [...(this.#rooms.get(roomKey)?.values() ?? [])]
      .filter((entry) => entry.own || entry.heardAt > silentSince)
      .map((entry) => ({ ...entry.reply }));
  }

  /** Called when the room closes here: from then on nobody would hear those replies end. */
  dropForeign(roomKey: string): void {
    const replies = this.#rooms.get(roomKey);
    for (const [id, entry] of replies ?? []) if (!entry.own) replies?.delete(id);
    if (replies?.size === 0) this.#rooms.delete(roomKey);
  }
}
