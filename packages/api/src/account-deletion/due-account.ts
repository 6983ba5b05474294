import type { Hub } from "../context.ts";
import type { Db } from "../db/database.ts";

/** An account whose time is up. */
export interface DueAccount {
  id: number;
  username: string;
  username_key: string;
  created_at: string;
  /** `keep`: the public souls become those of the account `ghost`. */
  souls: "delete" | "keep";
  /** `erase`: the texts of its lines are removed as well. */
  messages: "anonymise" | "erase";
}

/** What the steps of a deletion need of the hub. */
export type DeletionHub = Pick<
  Hub,
  | "database"
  | "vault"
  | "rooms"
  | "inBackground"
  | "dropGuestSoul"
  | "touchGuestRooms"
  | "maintenance"
  | "storage"
  | "stopping"
  | "log"
>;

/** What one transaction of a step has done. */
export interface StepResult {
  /** True if the step has more to do. */
  hasMore: boolean;
  /** Tells the rooms, after the commit. */
  announce?: () => void;
}

/**
 * One bounded transaction of a deletion (0063). It deletes some of the rows that are left, so an
 * interrupted deletion continues after a restart.
 */
export type DeletionStep = (tx: Db, account: DueAccount, hub: DeletionHub) => Promise<StepResult>;

export const DONE: StepResult = { hasMore: false };
