import { useQuery } from "@tanstack/react-query";
import { hub } from "../../../hub.ts";
import { summaryOf } from "../../../queries.ts";
import { useRoomContext } from "../room-context.ts";

/** The room's summary with its versions, and the owner's changes of it. */
export function useMemory() {
  const { roomName } = useRoomContext();
  const query = useQuery({ ...summaryOf(roomName), staleTime: 0 });
  // Also after a refusal the summary is read again, because it may have changed.
  const thenRead = async (change: Promise<unknown>) => {
    try {
      await change;
    } finally {
      await query.refetch();
    }
  };
  return {
    query,
    current: query.data?.current ?? null,
    history: query.data?.history ?? [],
    /** Replaces the summary if its text is the expected one. Null resets it. */
    correct: (summary: string | null, expected: string) =>
      thenRead(hub.chat.correctSummary.mutate({ ...roomName, summary, expected })),
    /** Goes back to a version if the expected one is current. */
    restore: (version: number, expected: number | undefined) =>
      thenRead(hub.rooms.restoreSummary.mutate({ ...roomName, version, expected })),
  };
}
