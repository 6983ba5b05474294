import type { RoomEvent } from "@soul-hub/api";
import type { RouteHandlers, RouteOptions, SyncAnswer } from "./rooms-client.ts";

/**
 * Asks chat-sync again and again and tells what it answers as the room's live events.
 * @returns stops it
 */
export function pollRoom(
  { client, name, cursor, pollMs, patienceMs }: RouteOptions,
  { onEvent, onEnd }: Pick<RouteHandlers, "onEvent" | "onEnd">,
): () => void {
  const leaving = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  async function ask(): Promise<void> {
    const last_id = cursor();
    try {
      const signal = AbortSignal.any([leaving.signal, AbortSignal.timeout(patienceMs)]);
      const question = { ...name, ...(last_id === undefined ? {} : { last_id }) };
      const answer = await client.rooms.sync.query(question, { signal });
      for (const event of eventsOf(answer, last_id)) onEvent(event);
      const wait = isPage(answer, last_id) ? 0 : pollMs * (0.75 + Math.random() / 2);
      if (!leaving.signal.aborted) timer = setTimeout(() => void ask(), wait);
    } catch (cause) {
      if (!leaving.signal.aborted) onEnd(cause);
    }
  }
  void ask();
  return () => {
    leaving.abort();
    clearTimeout(timer);
  };
}

/** More than fits into one answer has been missed: the rest is asked for first. */
const isPage = ({ has_more, recovered }: SyncAnswer, lastId: number | undefined): boolean =>
  has_more && recovered && lastId !== undefined;

/** An answer lists messages that follow each other, so each is the `prev_id` of the next. */
function eventsOf(answer: SyncAnswer, lastId: number | undefined): RoomEvent[] {
  const { new_messages, has_more, ...rest } = answer;
  const [first] = new_messages;
  const isAnew = lastId === undefined || !answer.recovered;
  // Of the one before the first of a log we are only told whether there is one.
  let prev_id = isAnew ? (has_more && first ? first.id - 1 : 0) : lastId;
  const messages = new_messages.map((message): RoomEvent => {
    const event = { type: "message" as const, ...message, prev_id };
    prev_id = message.id;
    return event;
  });
  return isPage(answer, lastId) ? messages : [...messages, { type: "sync", ...rest }];
}
