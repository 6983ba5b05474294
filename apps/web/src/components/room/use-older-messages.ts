import type { RoomMessage } from "@soul-hub/api";
import { useState } from "react";
import { type Failure, failureOf } from "../../failures.ts";
import { hub } from "../../hub.ts";

export type ShownMessage = Omit<RoomMessage, "prev_id">;

interface OlderMessages {
  messages: readonly ShownMessage[];
  /** The first of the log that they stand before: a log that starts anew leaves them behind. */
  before: number;
  hasMore: boolean;
}

/** The log upwards from where the live part begins. */
export function useOlderMessages(
  soulId: number,
  sessionToken: string,
  live: readonly RoomMessage[],
) {
  const [loaded, setLoaded] = useState<OlderMessages>();
  const [isLoading, setIsLoading] = useState(false);
  const [failure, setFailure] = useState<Failure>();
  const first = live[0];
  const older = loaded && loaded.before === first?.id ? loaded : undefined;
  const hasMore = older ? older.hasMore : first !== undefined && first.prev_id !== 0;

  const load = async () => {
    const before = older?.messages[0]?.id ?? first?.id;
    if (isLoading || !first || before === undefined) return;
    setIsLoading(true);
    setFailure(undefined);
    try {
      const page = await hub.rooms.sync.query({
        soul_id: soulId,
        session_token: sessionToken,
        before_id: before,
      });
      setLoaded({
        messages: [...page.new_messages, ...(older?.messages ?? [])],
        before: first.id,
        hasMore: page.has_more,
      });
    } catch (error) {
      setFailure(failureOf(error));
    }
    setIsLoading(false);
  };
  return { older: older?.messages ?? none, hasMore, isLoading, failure, load };
}

const none: readonly ShownMessage[] = [];
