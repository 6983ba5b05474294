import type { RoomState } from "@soul-hub/client";
import {
  useCallback,
  useDeferredValue,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import type { OlderMessages } from "../use-older-messages.ts";
import { replacedBy } from "./reply-place.ts";
import { firstLeaf, isWhole, lastQuestionOf, newestLeaf, pathTo, treeOf } from "./room-path.ts";

/** With fewer messages than this, the page may be too short to scroll: earlier ones load at once. */
const FEW_MESSAGES = 30;
/** A phone renders this many messages within a frame or two. */
const QUICK_MESSAGES = 5;

/**
 * The messages that the reader sees: those of the room's path (0038), or of another branch that the
 * reader looks at. Another branch is a matter of this page alone.
 */
export function useRoomPath(room: RoomState, older: OlderMessages) {
  const { messages, otherChanges } = room;
  const lines = useMemo(
    () => [...older.messages.map((line) => newest(line, otherChanges)), ...messages],
    [older.messages, otherChanges, messages],
  );
  const tree = useMemo(() => treeOf(lines), [lines]);
  const end = room.room?.active_id ?? lines.at(-1)?.id;
  const roomPath = useMemo(() => (end === undefined ? [] : pathTo(tree, end)), [tree, end]);

  /** A message of the branch that the reader looks at; undefined for the room's path. */
  const [viewed, setViewed] = useState<number>();
  const isElsewhere = viewed !== undefined && tree.messages.has(viewed);
  const wanted = useMemo(
    () => (isElsewhere ? pathTo(tree, firstLeaf(tree, viewed)) : roomPath),
    [isElsewhere, tree, viewed, roomPath],
  );
  // The first messages can be 200. React renders them in several pieces, so that the page handles
  // input meanwhile.
  const deferred = useDeferredValue(wanted);
  const isFirst = wanted.length > deferred.length + QUICK_MESSAGES;
  const shown = isFirst ? deferred : wanted;
  // The room's path has come to the reader's branch, so the reader follows the room again.
  if (isElsewhere && roomPath.some(({ id }) => id === viewed)) setViewed(undefined);

  const hasAll = !older.hasMore;
  // The hub knows the reader once the room is joined. Before, each call could name another guest.
  const hasMore = room.you !== undefined && !hasAll && !isWhole(tree, wanted);
  useEffect(() => {
    const isShort = room.connection === "live" && wanted.length < FEW_MESSAGES;
    if (isShort && hasMore && !older.failure) void older.load();
  });

  const latest = useRef({ tree, roomPath });
  useLayoutEffect(() => {
    latest.current = { tree, roomPath };
  });
  /** Shows the branch of a message. */
  const look = useCallback((id: number) => {
    const { current } = latest;
    const isOnPath = current.roomPath.some((line) => line.id === id);
    setViewed(isOnPath ? undefined : newestLeaf(current.tree, id));
  }, []);

  const { replies } = room;
  const pending = useMemo(
    () =>
      replies.flatMap((reply) => {
        const replaced = replacedBy(shown, reply);
        const isOwn = !isElsewhere && reply.sender_name === room.you?.name;
        // The path may have moved away from the reader's own question.
        return replaced || isOwn ? [{ reply, replaced: replaced ?? [] }] : [];
      }),
    [replies, shown, isElsewhere, room.you?.name],
  );
  // Equal lists are one object, so that the pieces of a reply do not render the log again.
  const replacedIds = pending.flatMap(({ replaced }) => replaced).join();
  const replaced = useMemo(
    () => (replacedIds === "" ? [] : replacedIds.split(",").map(Number)),
    [replacedIds],
  );
  const lastQuestion = useMemo(() => lastQuestionOf(roomPath), [roomPath]);
  return {
    tree,
    hasAll,
    hasMore,
    shown,
    /** Whether `shown` is only the first piece of the messages. */
    isPartial: isFirst,
    isElsewhere,
    look,
    back: () => setViewed(undefined),
    /** Replies in progress on the shown path, with the messages in whose place they are shown. */
    pending,
    replaced,
    /** The newest question on the room's path; undefined if another person has written after it. */
    lastQuestion,
    /** The message that a new one continues; undefined for the end of the room's path. */
    parentId: isElsewhere ? shown.at(-1)?.id : undefined,
    /** The end of the branch with a message; undefined if the room's path has that message. */
    endOf: (id: number) =>
      roomPath.some((line) => line.id === id) ? undefined : newestLeaf(tree, id),
    /** Shows the reader's own new message, unless the reader has gone to another branch meanwhile. */
    lookAtOwn: (id: number) => setViewed((now) => (now === viewed ? id : now)),
  };
}

/** A message that was loaded before its last change is replaced by its present state. */
function newest(
  line: OlderMessages["messages"][number],
  changes: RoomState["otherChanges"],
): OlderMessages["messages"][number] {
  const changed = changes.get(line.id);
  return changed && (changed.revision ?? 0) > (line.revision ?? 0) ? changed : line;
}
