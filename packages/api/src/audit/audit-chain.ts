import { createHash } from "node:crypto";

/** The fields of an audit row that its hash covers, besides the hash of the row before. */
export interface AuditFields {
  id: number;
  at: string;
  actor: string;
  action: string;
  target: string;
  detail: string;
}

/** The hash before the first row of all. */
export const NO_ROW = "0".repeat(64);

/** Lists show a deleted account as `deleted:<id>`; the row keeps the name that was hashed. */
const asWritten = (name: string): string => name.replace(/^deleted:/, "account:");

/** Returns the hash of an audit row, which covers its fields and the row before (0057). */
export const auditHash = (
  { id, at, actor, action, target, detail }: AuditFields,
  previousHash: string,
): string =>
  createHash("sha256")
    .update(
      JSON.stringify([previousHash, id, at, asWritten(actor), action, asWritten(target), detail]),
    )
    .digest("hex");
