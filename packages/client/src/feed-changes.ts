import type { RoomLine, RoomMessage } from "@soul-hub/api";

/** Present states of changed messages that a feed does not hold, by id. */
export type ChangesById = ReadonlyMap<number, RoomLine>;

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

/**
 * Keeps the changes of messages that the feed does not hold. The client may load earlier messages,
 * and a server that lacks changes sends later ones in their former state.
 */
export function withOther(
  changes: ChangesById,
  isHeld: (id: number) => boolean,
  lines: readonly RoomLine[] = [],
): ChangesById {
  const other = lines.filter(
    ({ id, revision = 0 }) => !isHeld(id) && revision > (changes.get(id)?.revision ?? 0),
  );
  if (other.length === 0) return changes;
  return new Map([...changes, ...other.map((line) => [line.id, line] as const)]);
}
