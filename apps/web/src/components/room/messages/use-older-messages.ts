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

  /** @param until loads as many pages as lead to this message, at most `most`; by default, one */
  const load = async (until = Number.POSITIVE_INFINITY, most = Number.POSITIVE_INFINITY) => {
    let before = older?.messages[0]?.id ?? first?.id;
    if (isLoading || !first || before === undefined) return;
    setIsLoading(true);
    setFailure(undefined);
    try {
      let messages = older?.messages ?? [];
      let hasMore = true;
      let pages = 0;
      do {
        const page = await hub.rooms.sync.query({ ...roomName, before_id: before });
        messages = [...page.new_messages, ...messages];
        before = messages[0]?.id ?? 0;
        hasMore = page.has_more;
        pages += 1;
      } while (hasMore && before > until && pages < most);
      const loaded = { messages, before: first.id, hasMore };
      // React renders a page of 200 messages in several pieces, so that scrolling stays smooth.
      startTransition(() => {
        setLoaded(loaded);
        setIsLoading(false);
      });
    } catch (error) {
      setFailure(failureOf(error));
      setIsLoading(false);
    }
  };
  return { messages: older?.messages ?? none, hasMore, isLoading, failure, load };
}

const none: readonly ShownMessage[] = [];
