import type { RoomSettings } from "@soul-hub/api";
import type { RoomState } from "@soul-hub/client";
import { useMemo } from "react";
import { questionOf, type RoomTree } from "../path/room-path.ts";
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
  /** False once the reader's messages of today are used up. */
  mayAsk: boolean;
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
const mayBranchAt = (
  question: ShownMessage,
  reader: Reader,
  lastQuestion: ShownMessage | undefined,
): boolean =>
  question.audience !== "people" &&
  reader.mayTalk &&
  (reader.isOwner || (question.id === lastQuestion?.id && isOwn(question, reader)));

interface ShownTree {
  tree: RoomTree;
  lastQuestion: ShownMessage | undefined;
}

/**
 * The question of a reply, or a question itself, where the reader may branch; otherwise undefined.
 * @param souls all souls of the room; undefined with a hub of the first release
 */
export function branchQuestion(
  { id, made_by }: ShownMessage,
  { tree, lastQuestion }: ShownTree,
  souls: RoomSettings["souls"] | undefined,
  reader: Reader,
): ShownMessage | undefined {
  // Another reply is that of the same soul, if the soul is still in the room.
  const isAsked = !made_by || !souls || souls.some(({ soul_id }) => soul_id === made_by.soul_id);
  const question = questionOf(tree, id);
  if (!question || question.removed || !isAsked) return undefined;
  return mayBranchAt(question, reader, lastQuestion) ? question : undefined;
}

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
  { mayTalk, mayAsk, allowsImage }: Pick<Reader, "mayTalk" | "mayAsk" | "allowsImage">,
) {
  const isOwner = you?.is_owner ?? false;
  const isMember = you?.kind === "member";
  return useMemo<Reader>(
    () => ({ name, isOwner, isMember, mayTalk, mayAsk, allowsImage }),
    [name, isOwner, isMember, mayTalk, mayAsk, allowsImage],
  );
}
