import type { RoomMessage } from "@soul-hub/api";
import { startTransition, useState } from "react";
import { type Failure, failureOf } from "../../../failures.ts";
import { hub } from "../../../hub.ts";
import type { RoomName } from "../../../queries.ts";

export type ShownMessage = Omit<RoomMessage, "prev_id">;

export type OlderMessages = ReturnType<typeof useOlderMessages>;

interface OlderPages {
  messages: readonly ShownMessage[];
  /**
   * Id of the first live message when the older messages were loaded. If the live messages later
   * begin with another id, the older messages are discarded.
   */
  before: number;
  hasMore: boolean;
}

/** Loads pages of older messages, which precede those that the joined room contains. */
export function useOlderMessages(roomName: RoomName, live: readonly RoomMessage[]) {
  const [loaded, setLoaded] = useState<OlderPages>();
  const [isLoading, setIsLoading] = useState(false);
  const [failure, setFailure] = useState<Failure>();
  const first = live[0];
  const older = loaded && loaded.before === first?.id ? loaded : undefined;
  const hasMore = older ? older.hasMore : first !== undefined && first.prev_id !== 0;

  /** @param until loads as many pages as lead to this message; by default, one page */
  const load = async (until = Number.POSITIVE_INFINITY) => {
    let before = older?.messages[0]?.id ?? first?.id;
    if (isLoading || !first || before === undefined) return;
    setIsLoading(true);
    setFailure(undefined);
    try {
      let messages = older?.messages ?? [];
      let hasMore = true;
      do {
        const page = await hub.rooms.sync.query({ ...roomName, before_id: before });
        messages = [...page.new_messages, ...messages];
        before = messages[0]?.id ?? 0;
        hasMore = page.has_more;
      } while (hasMore && before > until);
      const pages = { messages, before: first.id, hasMore };
      // React renders a page of 200 messages in several pieces, so that scrolling stays smooth.
      startTransition(() => {
        setLoaded(pages);
        setIsLoading(false);
      });
    } catch (error) {
      setFailure(failureOf(error));
      setIsLoading(false);
    }
  };
  return { messages: older?.messages ?? none, hasMore, failure, load };
}

const none: readonly ShownMessage[] = [];
