import type { RoomState } from "@soul-hub/client";
import type { ShownMessage } from "../use-older-messages.ts";

type ReplyInProgress = Pick<
  RoomState["replies"][number],
  "sender_name" | "content" | "parent_id" | "regenerates" | "since_id"
>;

/**
 * Finds the messages of the shown path in whose place a reply in progress is shown. A regeneration
 * takes the place of the former replies, a rewritten question that of the question and its replies.
 * They come back if the reply fails.
 * @returns an empty list for a reply at the end of the path; undefined for one on another branch
 */
export function replacedBy(
  path: readonly ShownMessage[],
  { sender_name, content, parent_id, regenerates, since_id }: ReplyInProgress,
): readonly number[] | undefined {
  const parent = regenerates ?? parent_id;
  // A hub of the first release names no parent: the question follows all others.
  if (parent === undefined) return [];
  const at = parent === null ? -1 : path.findIndex(({ id }) => id === parent);
  if (parent !== null && at < 0) return undefined;
  const next = path[at + 1];
  if (!next) return [];
  if (regenerates) {
    const former = repliesFrom(path, at + 1);
    return former.length > 0 ? former : [next.id];
  }
  // The reply of a further soul follows what the room contains, and rewrites nothing.
  if (content === "") return [];
  // The first loaded message may not be the beginning.
  if (parent === null && next.parent_id !== null) return undefined;
  // Two questions at the same time have the same parent. The second one follows the first.
  const isRewritten =
    next.role === "user" && next.sender_name === sender_name && next.id <= since_id;
  if (!isRewritten) return [];
  return [next.id, ...repliesFrom(path, at + 2)];
}

/** The ids of the replies at a place of the path, one after the other. */
function repliesFrom(path: readonly ShownMessage[], from: number): readonly number[] {
  const rest = path.slice(from);
  const end = rest.findIndex(({ role }) => role !== "assistant");
  return (end < 0 ? rest : rest.slice(0, end)).map(({ id }) => id);
}
