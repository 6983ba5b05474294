import type { Hub } from "../../context.ts";
import { publishRevision, type StoredStep } from "../rows/revision-step.ts";
import { readChanged } from "../rows/room-settings.queries.ts";

/** What a change concerns. */
export interface ChangedParts {
  /** Id of the changed message, if there is one. */
  messageId?: number;
  /** True if the room's settings may have changed, also if only its automatic title may have. */
  changesRoom: boolean;
}

/**
 * Publishes the present state of a changed room or message after the commit (0039). Does nothing if
 * the revision is the same as before.
 */
export async function announceChange(
  { rooms, database, log }: Pick<Hub, "rooms" | "database" | "log">,
  key: string,
  { revision, prev_revision }: StoredStep,
  { messageId, changesRoom }: ChangedParts,
): Promise<void> {
  if (revision === prev_revision) return;
  if (prev_revision === null) return publishRevision(rooms, { key, revision });
  try {
    const { room, messages } = await readChanged(database.db, key, messageId);
    rooms.publishChange(key, {
      revision,
      prev_revision,
      ...(changesRoom && room && { room }),
      ...(messageId !== undefined && { messages: [...messages] }),
    });
  } catch (error) {
    log.warn({ err: error }, "a stored change could not be read; every server will read it");
    publishRevision(rooms, { key, revision });
  }
}
