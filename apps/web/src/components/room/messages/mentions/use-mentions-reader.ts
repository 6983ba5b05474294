import { useMentionRules } from "../../composer/mentions/use-mention-rules.ts";
import { isOwn, type Reader } from "../actions/reader.ts";
import type { ShownMessage } from "../use-older-messages.ts";

/** True for a message of another that mentions the reader. Guests have no username. */
export function useMentionsReader(line: ShownMessage, reader: Reader): boolean {
  const rules = useMentionRules(line.content);
  const { isMember, name } = reader;
  if (!rules || !isMember || name === undefined || isOwn(line, reader)) return false;
  return rules.findMentions(line.content, [name]).length > 0;
}
