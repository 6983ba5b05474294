import type { RoomEvent } from "@soul-hub/api";
import type { SubscribeOptions, SubscriptionHandlers, SyncResponse } from "./rooms-client.ts";

/**
 * Polls `rooms.sync` and converts its responses to the events of `rooms.live`.
 * @returns a function that stops polling
 */
export function pollRoom(
  { client, name, cursor, revision, timing }: SubscribeOptions,
  { onEvent, onEnd }: Pick<SubscriptionHandlers, "onEvent" | "onEnd">,
): () => void {
  const stopped = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  async function poll(): Promise<void> {
    const held = { last_id: cursor(), revision: revision() ?? 0 };
    try {
      const signal = AbortSignal.any([stopped.signal, AbortSignal.timeout(timing.timeoutMs)]);
      const response = await client.rooms.sync.query({ ...name, ...held }, { signal });
      for (const event of eventsOf(response, held)) onEvent(event);
      const isPart = isPage(response, held.last_id) || response.changes_more;
      const wait = isPart ? 0 : timing.pollMs * (0.75 + Math.random() / 2);
      if (!stopped.signal.aborted) timer = setTimeout(() => void poll(), wait);
    } catch (cause) {
      onEnd(cause);
    }
  }
  void poll();
  return () => {
    stopped.abort();
    clearTimeout(timer);
  };
}

/**
 * True if more messages were missed than one response contains. The next poll then follows at once.
 */
const isPage = ({ has_more, recovered }: SyncResponse, lastId: number | undefined): boolean =>
  has_more && recovered && lastId !== undefined;

/** What the client held when it asked: the newest message, and the revision of its changes. */
interface Held {
  last_id: number | undefined;
  revision: number;
}

/** Converts the changes in a response to an event. A hub of the first release sends none. */
export function changeOf(
  { revision, room, changes }: SyncResponse,
  { revision: prev_revision }: Held,
): RoomEvent[] {
  if (!changes) return [];
  return [{ type: "changed", revision, prev_revision, messages: changes, ...(room && { room }) }];
}

/**
 * Converts a response to events. Its messages are consecutive, so each id is the `prev_id` of the
 * next message.
 */
export function eventsOf(response: SyncResponse, held: Held): RoomEvent[] {
  const { new_messages, has_more, changes: _, changes_more, ...rest } = response;
  const lastId = held.last_id;
  const [first] = new_messages;
  const isNewLog = lastId === undefined || !response.recovered;
  // The response does not contain the id of the message before its first one. If such a message
  // exists, `first.id - 1` replaces its id.
  let prev_id = isNewLog ? (has_more && first ? first.id - 1 : 0) : lastId;
  const messages = new_messages.map((message): RoomEvent => {
    const event = { type: "message" as const, ...message, prev_id };
    prev_id = message.id;
    return event;
  });
  const events = isNewLog ? messages : [...messages, ...changeOf(response, held)];
  return isPage(response, lastId) ? events : [...events, { type: "sync", ...rest }];
}
