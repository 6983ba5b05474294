import type { RoomState } from "@soul-hub/client";
import type { ShownMessage } from "../use-older-messages.ts";

type ReplyInProgress = Pick<
  RoomState["replies"][number],
  "sender_name" | "parent_id" | "regenerates" | "since_id"
>;

/**
 * Finds the messages of the shown path in whose place a reply in progress is shown. A regeneration
 * takes the place of the former reply, a rewritten question that of the question and its reply. They
 * come back if the reply fails.
 * @returns an empty list for a reply at the end of the path; undefined for one on another branch
 */
export function replacedBy(
  path: readonly ShownMessage[],
  { sender_name, parent_id, regenerates, since_id }: ReplyInProgress,
): readonly number[] | undefined {
  const parent = regenerates ?? parent_id;
  // A hub of the first release names no parent: the question follows all others.
  if (parent === undefined) return [];
  const at = parent === null ? -1 : path.findIndex(({ id }) => id === parent);
  if (parent !== null && at < 0) return undefined;
  const next = path[at + 1];
  if (regenerates) return next ? [next.id] : [];
  if (!next) return [];
  // The first loaded message may not be the beginning.
  if (parent === null && next.parent_id !== null) return undefined;
  // Two questions at the same time have the same parent. The second one follows the first.
  const isRewritten =
    next.role === "user" && next.sender_name === sender_name && next.id <= since_id;
  if (!isRewritten) return [];
  const reply = path[at + 2];
  return reply?.role === "assistant" ? [next.id, reply.id] : [next.id];
}
