import { sql } from "kysely";
import { participantId } from "../../caller/caller.ts";
import type { CallContext } from "../../context.ts";
import { HubError } from "../../errors.ts";
import { canOwn } from "../access/room-participant.ts";
import type { Memory, RememberedRoom } from "../prompt/room-memory.queries.ts";
import { readMemoryTo } from "../prompt/room-memory.queries.ts";
import { type BranchRefusal, branchError } from "./branch-error.ts";

/** The question that a regeneration answers again. */
export interface FormerQuestion {
  id: number;
  sender_name: string;
  content: string;
}

/**
 * The message that a caller continues, instead of the end of the room's path (0038), with the memory
 * of the path to it.
 */
export interface BranchPoint extends Memory {
  /** Id of the message; 0 begins a tree. */
  under: number;
  /** The question to answer again; undefined for a new question. */
  regenerates: FormerQuestion | undefined;
}

/** Where a message goes, as the client asks for it. With neither field it continues the path. */
export interface WantedPlace {
  parent_id?: number | undefined;
  /** Id of the question to answer again. */
  regenerate?: number | undefined;
}

/**
 * Reads the place that the caller has chosen in the room's tree, and checks its right to branch
 * there. `store_held_reply` repeats the check under the room's lock.
 * @returns undefined if the caller has chosen none
 * @throws HubError `message_not_found`, `not_owner`, `limit_reached`
 */
export async function findBranchPoint(
  ctx: CallContext,
  room: RememberedRoom | undefined,
  { parent_id, regenerate }: WantedPlace,
): Promise<BranchPoint | undefined> {
  const under = regenerate ?? parent_id;
  if (under === undefined) return undefined;
  const isReplyAlone = regenerate !== undefined;
  if (!room) {
    if (isReplyAlone || under > 0) throw new HubError("message_not_found");
    return undefined;
  }
  const { rows } = await sql<Place>`
    select branch_refusal(${room.id}, ${room.owner}, ${room.leaf_id}, ${participantId(ctx.caller)},
        ${under}, ${isReplyAlone}) as refusal,
      line.sender_name, line.content, coalesce(line.parent_id, line.prev_id, 0) as parent_id
    from (select ${under}::bigint as id) as wanted
      left join chat_messages as line on line.id = wanted.id`.execute(ctx.db);
  const [place] = rows;
  if (!place) throw new Error("branch_refusal returned no row.");
  const isOwnBranch = isReplyAlone || under !== room.leaf_id;
  if (isOwnBranch && !canOwn(ctx)) place.refusal ??= "not_owner";
  if (place.refusal !== null) throw branchError(place.refusal);
  const { sender_name, content, parent_id: questionParent } = place;
  return {
    under,
    regenerates: isReplyAlone ? { id: under, sender_name, content } : undefined,
    ...(await readMemoryTo(ctx.db, room.id, isReplyAlone ? questionParent : under)),
  };
}

interface Place {
  refusal: BranchRefusal | null;
  sender_name: string;
  content: string;
  parent_id: number;
}
