import { findMentions } from "@soul-hub/soul-names";
import { isOwn, type Reader } from "../actions/reader.ts";
import type { ShownMessage } from "../use-older-messages.ts";

/** True for a message of another that mentions the reader. Guests have no username. */
export const mentionsReader = (line: ShownMessage, reader: Reader): boolean =>
  reader.isMember &&
  reader.name !== undefined &&
  !isOwn(line, reader) &&
  findMentions(line.content, [reader.name]).length > 0;
