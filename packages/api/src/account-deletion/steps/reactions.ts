import { sql } from "kysely";
import { publishRevision } from "../../chat/rows/revision-step.ts";
import type { Db } from "../../db/database.ts";
import { callForRow } from "../../db/sql-functions.ts";
import { type DeletionStep, DONE, type StepResult } from "../due-account.ts";

/** Reactions that one transaction reads. No index finds those of a participant. */
const READ = 20_000;

/** Takes back the account's reactions, in one pass over all reactions. */
export function takeBackReactions(): DeletionStep {
  let readTo = 0;
  return async (tx, { id }, { rooms }): Promise<StepResult> => {
    const participant = `account:${id}`;
    const [found, last] = await nextReaction(tx, participant, readTo);
    if (!found) {
      if (last === null) return DONE;
      readTo = last;
      return { hasMore: true };
    }
    const { key, soul_id, token_hash, message_id, emoji } = found;
    // null: the room was deleted meanwhile.
    const { revision } = await callForRow<{ revision: number | null }>(tx, "react_to_message", {
      of_soul: soul_id,
      of_token_hash: token_hash,
      of_id: message_id,
      reactor: participant,
      reactor_name: "",
      reaction: emoji,
      is_on: false,
    });
    return {
      hasMore: true,
      announce: () => publishRevision(rooms, { key, revision: revision ?? 0 }),
    };
  };
}

/** Returns the next reaction of a participant, and the message to which all were read. */
async function nextReaction(tx: Db, participant: string, after: number) {
  const page = tx
    .selectFrom("message_reactions")
    .select(["message_id", "participant", "emoji"])
    .where("message_id", ">", after)
    .orderBy("message_id")
    .limit(READ);
  const found = await tx
    .selectFrom(page.as("page"))
    .innerJoin("chat_messages as line", "line.id", "page.message_id")
    .innerJoin("chat_rooms as room", "room.id", "line.room_id")
    .select(["message_id", "emoji", "soul_id", "token_hash"])
    .select(sql<string>`soul_id || '/' || token_hash`.as("key"))
    .where("page.participant", "=", participant)
    .orderBy("message_id")
    .limit(1)
    .executeTakeFirst();
  if (found) return [found, null] as const;
  const { last } = await tx
    .selectFrom(page.as("page"))
    .select(({ fn }) => fn.max("message_id").as("last"))
    .executeTakeFirstOrThrow();
  // A page may end within the reactions of one message. The next one begins with the rest of them.
  return [undefined, last === null || last - 1 <= after ? last : last - 1] as const;
}
