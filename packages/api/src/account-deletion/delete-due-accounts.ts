import { sql } from "kysely";
import type { Db } from "../db/database.ts";
import { announceHolds } from "../souls/holds/announce-holds.ts";
import { holdSouls } from "../souls/holds/hold-souls.ts";
import type { DeletionHub, DeletionStep, DueAccount } from "./due-account.ts";
import { forgetLines } from "./steps/lines.ts";
import { withdrawMarks } from "./steps/marks.ts";
import { dropPrivateRooms, leavePublicRooms } from "./steps/own-rooms.ts";
import { clearSouls } from "./steps/own-souls.ts";
import { takeBackReactions } from "./steps/reactions.ts";
import { clearTraces, deleteAccountRow } from "./steps/traces.ts";

declare module "../context.ts" {
  interface Hub {
    /** Deletes the accounts whose time is up. The sweeper calls it each minute (0063). */
    deleteDueAccounts(): Promise<void>;
  }
}

const allSteps = (): readonly DeletionStep[] => [
  dropPrivateRooms,
  clearSouls,
  leavePublicRooms,
  forgetLines,
  takeBackReactions(),
  withdrawMarks,
  ...clearTraces,
  deleteAccountRow,
];

/**
 * Creates the function that deletes due accounts, in transactions of bounded size (0063). A server
 * that is killed meanwhile leaves rows that the next run finds. Of several servers, one works on an
 * account at a time.
 */
export function createDueDeletions(hub: DeletionHub): () => Promise<void> {
  const { database, maintenance, storage, stopping, log } = hub;
  const { db } = database;
  const isPaused = () => stopping.aborted || maintenance.isOn || storage.isFull;
  let running: Promise<void> | undefined;

  return () => {
    running ??= run().finally(() => {
      running = undefined;
    });
    return running;
  };

  async function run(): Promise<void> {
    await holdNewSouls();
    const due = await db
      .selectFrom("account_deletions")
      .innerJoin("accounts", "accounts.id", "account_deletions.account_id")
      .select("accounts.id")
      .where("deletes_at", "<=", sql<string>`hub_now()`)
      .orderBy("deletes_at")
      .execute();
    for (const { id } of due) {
      try {
        await deleteAccount(id);
      } catch (err) {
        // The next run goes on. Other accounts must not wait for it.
        log.error({ err, account_id: id }, "an account could not be deleted yet");
      }
    }
  }

  /**
   * Hides souls that are public although their account is being deleted: a call in flight published
   * them, or a restored backup did.
   */
  async function holdNewSouls(): Promise<void> {
    const { rows } = await sql<{ id: number }>`
      select souls.id from account_deletions join souls on souls.user_id = account_id
      where souls.is_public = 1 limit 1000`.execute(db);
    if (rows.length === 0 || isPaused()) return;
    const soulIds = rows.map(({ id }) => id);
    const hold = (tx: Db) => holdSouls(tx, { soulIds, kind: "deletion" });
    announceHolds(hub, await maintenance.write(() => db.transaction().execute(hold)));
  }

  async function deleteAccount(id: number): Promise<void> {
    for (const step of allSteps()) {
      let hasMore = true;
      while (hasMore) {
        if (isPaused()) return;
        const done = await maintenance.write(() =>
          db.transaction().execute(async (tx) => {
            const account = await lockDue(tx, id);
            return account && step(tx, account, hub);
          }),
        );
        if (!done) return;
        done.announce?.();
        hasMore = done.hasMore;
      }
    }
    log.info({ account_id: id }, "an account was deleted");
  }
}

/** Locks a due account. @returns undefined if it is deleted, or another server works on it */
const lockDue = (tx: Db, id: number): Promise<DueAccount | undefined> =>
  tx
    .selectFrom("account_deletions")
    .innerJoin("accounts", "accounts.id", "account_deletions.account_id")
    .select(["accounts.id", "username", "username_key"])
    .select(sql<string>`accounts.created_at::text`.as("created_at"))
    .select(sql<DueAccount["souls"]>`account_deletions.souls`.as("souls"))
    .select(sql<DueAccount["messages"]>`account_deletions.messages`.as("messages"))
    .where("account_id", "=", id)
    .where("deletes_at", "<=", sql<string>`hub_now()`)
    .forUpdate("account_deletions")
    .skipLocked()
    .executeTakeFirst();
