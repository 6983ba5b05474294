import type { RoomState } from "@soul-hub/client";
import { useMemo } from "react";
import type { ShownMessage } from "../use-older-messages.ts";

/** The reader's rights in the room. The hub checks them; without a right, there is no button. */
export interface Reader {
  name: string | undefined;
  /** The owner of the room may branch anywhere, remove every message, and edit replies. */
  isOwner: boolean;
  /** Guests can neither edit nor remove messages. */
  isMember: boolean;
  /** A reader who may not talk reads on, but neither sends, edits nor reacts. */
  mayTalk: boolean;
  allowsImage: boolean;
}

export const isOwn = (
  { role, sender_name }: ShownMessage,
  { name }: Pick<Reader, "name">,
): boolean => role === "user" && sender_name === name;

export const mayEdit = (line: ShownMessage, reader: Reader): boolean =>
  reader.isMember &&
  reader.mayTalk &&
  (line.role === "user" ? isOwn(line, reader) : reader.isOwner);

export const mayRemove = (line: ShownMessage, reader: Reader): boolean =>
  reader.isMember && (reader.isOwner || isOwn(line, reader));

/**
 * Others than the owner may branch at their own last question, until another person writes (0038).
 * A message off the record is no question.
 * @param lastQuestion the newest question on the room's path
 */
export const mayBranchAt = (
  question: ShownMessage,
  reader: Reader,
  lastQuestion: ShownMessage | undefined,
): boolean =>
  question.audience !== "people" &&
  reader.mayTalk &&
  (reader.isOwner || (question.id === lastQuestion?.id && isOwn(question, reader)));

/** The owner may restrict the sender of each message, if the owner has an account. */
export const mayRestrictSender = (line: ShownMessage, reader: Reader): boolean =>
  reader.isOwner &&
  reader.isMember &&
  reader.mayTalk &&
  line.role === "user" &&
  !isOwn(line, reader);

/**
 * Whether the reader may open the editor of an own message. A guest can't change a text, but can ask
 * its last question again with another one.
 */
export const mayRewrite = (
  line: ShownMessage,
  reader: Reader,
  lastQuestion: ShownMessage | undefined,
): boolean => mayEdit(line, reader) || mayBranchAt(line, reader, lastQuestion);

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
