import type { RoomState } from "@soul-hub/client";
import { useMemo } from "react";
import type { Reader } from "./reader.ts";

/** The same object until a right changes, because each message depends on it. */
export function useReader(
  { you, room }: RoomState,
  name: string | undefined,
  allowsImage: boolean,
) {
  const isOwner = you?.is_owner ?? false;
  const isMember = you?.kind === "member";
  const talk = room?.talk ?? "anyone";
  return useMemo<Reader>(() => {
    const mayReact = isOwner || talk === "anyone" || (talk === "members" && isMember);
    return { name, isOwner, isMember, mayReact, allowsImage };
  }, [name, isOwner, isMember, talk, allowsImage]);
}
