import type { RoomState } from "@soul-hub/client";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { invalidate, quota } from "../../queries.ts";

/**
 * The reader's quota. The hub counts a message as soon as it accepts it, and takes that back if the
 * reply fails: the quota is read again when a reply to the reader begins or ends.
 */
export function useQuota({ replies }: RoomState, selfName: string | undefined) {
  const { data } = useQuery(quota);
  const running = replies
    .filter(({ sender_name }) => sender_name === selfName)
    .map(({ reply_id }) => reply_id)
    .join();
  const before = useRef(running);
  useEffect(() => {
    if (before.current === running) return;
    before.current = running;
    void invalidate(quota.queryKey);
  }, [running]);
  return data;
}
