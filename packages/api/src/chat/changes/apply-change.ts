import type { CallContext } from "../../context.ts";
import { callForRow } from "../../db/sql-functions.ts";
import type { FailureCode } from "../../errors.ts";
import type { RevisionStep } from "../rows/revision-step.ts";
import { splitRoomKey } from "../rows/room-key.ts";
import { announceChange, type ChangedParts } from "../storing/announce-change.ts";
import { type ChangeFunction, changeRefused } from "./change-refused.ts";

/** The result of an SQL function that changes a room or a stored message (0039). */
interface Applied extends RevisionStep {
  /** The code of the refusal; null if the change was made or was not needed. */
  failure: FailureCode | null;
}

interface Change extends ChangedParts {
  /** The SQL function, which takes the room's lock. */
  run: ChangeFunction;
  args: Record<string, unknown>;
}

/**
 * Changes a room or one of its stored messages, and tells the room (0039).
 * @returns the room's revision
 * @throws HubError the failure of the SQL function
 */
export async function applyChange(ctx: CallContext, key: string, change: Change): Promise<number> {
  const { soulId, tokenHash } = splitRoomKey(key);
  const args = { of_soul: soulId, of_token_hash: tokenHash, ...change.args };
  const { failure, ...step } = await callForRow<Applied>(ctx.db, change.run, args);
  if (failure) throw changeRefused(change.run, failure);
  await announceChange(ctx.hub, key, step, change);
  return step.revision;
}
