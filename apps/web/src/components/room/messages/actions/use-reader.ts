import type { RoomState } from "@soul-hub/client";
import { useMemo } from "react";
import type { Reader } from "./reader.ts";

/** The same object until a right changes, because each message depends on it. */
export function useReader(
  { you }: RoomState,
  name: string | undefined,
  { mayTalk, allowsImage }: Pick<Reader, "mayTalk" | "allowsImage">,
) {
  const isOwner = you?.is_owner ?? false;
  const isMember = you?.kind === "member";
  return useMemo<Reader>(
    () => ({ name, isOwner, isMember, mayTalk, allowsImage }),
    [name, isOwner, isMember, mayTalk, allowsImage],
  );
}
