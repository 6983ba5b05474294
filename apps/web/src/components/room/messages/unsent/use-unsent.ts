import { useMemo } from "react";
import type { ShownMessage } from "../use-older-messages.ts";
import type { BrokenReply } from "./use-broken-replies.ts";
import type { OutboxItem } from "./use-outbox.ts";

/** `place`: the message above it, 0 above all messages, undefined below all. */
export type Unsent =
  | { place: number | undefined; item: OutboxItem; reply?: never }
  | { place: number | undefined; item?: never; reply: BrokenReply };

interface UnsentOptions {
  path: readonly ShownMessage[];
  outbox: { shown: readonly OutboxItem[]; isOwnReply: (reply: BrokenReply) => boolean };
  broken: readonly BrokenReply[];
}

/** Finds the places of messages that the room does not store: each stays where it was sent. */
export function useUnsent({ path, outbox, broken }: UnsentOptions) {
  const unsent: Unsent[] = [
    ...outbox.shown.map((item) => ({
      item,
      place: item.status === "failed" ? placeIn(path, item.sentAfter) : undefined,
    })),
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
