import type { CopyPort } from "../archive/copy-port.ts";
import { fillFromArchive, type RestoreTarget } from "../archive/fill-from-archive.ts";
import type { OpenArchive } from "../archive/read-archive.ts";
import { writeAudit } from "../audit/write-audit.ts";

interface Filling {
  /** Brings the deletions of the data that the restore replaces. */
  carryInto?(restored: CopyPort): Promise<void>;
  /** True if the hub itself moves here, with the mails that wait (0033). */
  isMove?: boolean;
}

/**
 * Fills a target with a backup, and writes into its audit log that it was restored (0057).
 * @returns the number of rows
 */
export async function fillRestored(
  target: RestoreTarget,
  backup: OpenArchive,
  { carryInto, isMove = false }: Filling,
): Promise<number> {
  const rows = await fillFromArchive(target, backup);
  await carryInto?.(target.port);
  // The hub of the backup has sent the waiting mails, or they are old (0028).
  if (!isMove) await target.db.deleteFrom("waiting_mails").execute();
  const { app, created_at: backup_of } = backup.manifest;
  const detail = { app, backup_of };
  await writeAudit(target.db, { actor: "operator", action: "restore", target: "hub", detail });
  return rows;
}
