import type { Selectable } from "kysely";
import type { Hub } from "../../context.ts";
import type { Tables } from "../../db/database.ts";
import type { Action, Reason } from "../moderation.schema.ts";

/** What an action changes, and by which decision. */
export interface Deed {
  hub: Hub;
  subject: Selectable<Tables["mod_cases"]>;
  decision: { id: number; reason: Reason; until: string | null };
  /** The action whose decisions a restore takes back; undefined for all of the case. */
  only: Action | undefined;
}

/** Tells rooms and subscribers after the commit. */
export type Announce = () => void;
