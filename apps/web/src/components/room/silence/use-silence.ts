import type { RoomState } from "@soul-hub/client";
import { useQuery } from "@tanstack/react-query";
import { mutedIn, type RoomName } from "../../../queries.ts";

/** Why the reader may not talk in the room. `until` is UTC; null means no end. */
export type Silence =
  | { by: "muted"; until: string | null }
  | { by: "members" }
  | { by: "owner" }
  | { by: "soul"; state: "private" | "gated" | "deleted" }
  | undefined;

/** How often the page of a muted reader asks whether the reader may talk again, in milliseconds. */
const ASK_EVERY_MS = 15_000;

/**
 * Says whether the reader may talk. The room's settings arrive as events. Whether the reader is
 * muted is asked: on joining, after a refused call, and repeatedly while muted.
 */
export function useSilence({ room, name }: { room: RoomState; name: RoomName }): Silence {
  const { you, messages, connection } = room;
  const state = room.room?.soul_state ?? "available";
  const isOwner = you?.is_owner === true;
  const mayBeMuted = connection === "live" && !isOwner && messages.length > 0;
  const { data: muted } = useQuery({
    ...mutedIn(name),
    enabled: mayBeMuted,
    refetchInterval: ({ state }) => (state.data?.data.is_muted ? ASK_EVERY_MS : false),
  });
  if (state !== "available") return { by: "soul", state };
  if (isOwner || messages.length === 0) return undefined;
  if (muted?.is_muted) return { by: "muted", until: muted.muted_until };
  const talk = room.room?.talk ?? "anyone";
  if (talk === "owner") return { by: "owner" };
  return talk === "members" && you?.kind === "guest" ? { by: "members" } : undefined;
}
