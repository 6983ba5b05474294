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
  outbox: { shown: readonly OutboxItem[]; isOwnReply: (reply: BrokenReply) => boolean };
  broken: readonly BrokenReply[];
  /** Replies in progress to the reader. */
  pending: readonly Reply[];
}

/**
 * Finds the places of messages that the room does not store, or not yet: each stays where it was
 * sent, whatever the room stores meanwhile.
 */
export function useUnsent({ path, outbox, broken, pending }: UnsentOptions) {
  const items = outbox.shown.map((item) => ({
    item,
    place: item.sentAfter === NOT_SENT ? undefined : placeIn(path, item.sentAfter),
  }));
  const unsent: Unsent[] = [
    ...items.filter(({ item }) => item.status === "failed"),
    ...broken
      .filter((reply) => !reply.regenerates && !outbox.isOwnReply(reply))
      .map((reply) => ({ reply, place: placeIn(path, reply.since_id) })),
    ...pending.map((reply) => ({ pending: reply, place: placeIn(path, reply.since_id) })),
    ...items.filter(({ item }) => item.status !== "failed"),
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
