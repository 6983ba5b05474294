import type { RoomState } from "@soul-hub/client";
import { useMemo } from "react";
import type { ShownMessage } from "../use-older-messages.ts";
import type { BrokenReply } from "./use-broken-replies.ts";
import { NOT_SENT, type OutboxItem } from "./use-outbox.ts";

/** `place`: the message above it, 0 above all messages, undefined below all. */
export type Unsent =
  | { place: number | undefined; item: OutboxItem }
  | { place: number; reply: BrokenReply }
  | { place: number; pending: Reply };

type Reply = RoomState["replies"][number];

interface UnsentOptions {
  path: readonly ShownMessage[];
  selfName: string | undefined;
  outbox: { shown: readonly OutboxItem[]; isOwnReply: (reply: BrokenReply) => boolean };
  broken: readonly BrokenReply[];
  /** Replies in progress to the reader. */
  pending: readonly Reply[];
}

/**
 * Finds the places of messages that the room does not store, or not yet. A failed message stays where
 * it was sent. A question in progress is below all stored messages but the reader's own later ones.
 */
export function useUnsent({ path, selfName, outbox, broken, pending }: UnsentOptions) {
  const aboveOwn = (after: number) => {
    const isLater = ({ id, role, sender_name }: ShownMessage) =>
      id > after && role === "user" && sender_name === selfName;
    const at = path.findIndex(isLater);
    return at < 0 ? undefined : (path[at - 1]?.id ?? 0);
  };
  const unsent: Unsent[] = [
    ...pending.flatMap((reply) => {
      const place = aboveOwn(reply.since_id);
      return place === undefined ? [] : { pending: reply, place };
    }),
    ...outbox.shown.map((item) => {
      const { status, sentAfter } = item;
      const isHere = status === "failed" && sentAfter !== NOT_SENT;
      return { item, place: isHere ? placeIn(path, sentAfter) : aboveOwn(sentAfter) };
    }),
    ...broken
      .filter((reply) => !reply.regenerates && !outbox.isOwnReply(reply))
      .map((reply) => ({ reply, place: placeIn(path, reply.since_id) })),
  ];
  // Equal lists are one object, so that the pieces of a reply do not render the log again.
  const ids = unsent.flatMap(({ place }) => place ?? []).join();
  const places = useMemo(() => (ids === "" ? [] : ids.split(",").map(Number)), [ids]);
  return { unsent, places };
}

/**
 * The place of something that the room does not store: below the newest message of the shown path
 * at that time.
 * @param after id of the newest message in the room at that time
 * @returns the id of the message above it; 0 above all messages
 */
const placeIn = (path: readonly ShownMessage[], after: number): number =>
  path.findLast(({ id }) => id <= after)?.id ?? 0;
