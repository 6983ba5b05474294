import type { RoomLine, RoomMessage } from "@soul-hub/api";

/** Present states of changed messages that are older than a feed's first message, by id. */
export type EarlierChanges = ReadonlyMap<number, RoomLine>;

/** Replaces messages by their present state. Other messages than the feed's are ignored. */
export function amend(
  messages: readonly RoomMessage[],
  lines: ReadonlyMap<number, RoomLine>,
): readonly RoomMessage[] {
  return messages.map((message) => {
    const line = lines.get(message.id);
    const isNewer = line && (line.revision ?? 0) > (message.revision ?? 0);
    return isNewer ? { ...line, prev_id: message.prev_id } : message;
  });
}

/** Keeps the changes of messages from before the feed's first one, which the client may load. */
export function withEarlier(
  earlierChanges: EarlierChanges,
  first: RoomMessage | undefined,
  lines: readonly RoomLine[] = [],
): EarlierChanges {
  const earlier = lines.filter(({ id, revision = 0 }) => {
    const isEarlier = first !== undefined && id < first.id;
    return isEarlier && revision > (earlierChanges.get(id)?.revision ?? 0);
  });
  if (earlier.length === 0) return earlierChanges;
  return new Map([...earlierChanges, ...earlier.map((line) => [line.id, line] as const)]);
}
