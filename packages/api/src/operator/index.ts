/**
 * Shared by the server and the operator's tool: the data directory, the explanation of settings,
 * the restore of backups, and the verification of versions. The tool opens only databases that no
 * hub uses (0013).
 */
export { ArchiveError } from "../archive/archive-error.ts";
export { auditHash, NO_ROW } from "../audit/audit-chain.ts";
export { databaseUrl } from "../db/drivers/database-url.ts";
export { fileTime } from "../file-time.ts";
export { signedVersion, verifyVersion } from "../souls/versions/signing/verify-version.ts";
export { type LockedDirectory, lockDataDirectory } from "./directory-lock.ts";
export {
  blame,
  EnvironmentError,
  type Faults,
  unknownHost,
  unreachable,
} from "./environment-error.ts";
export { assertNotMoved } from "./finish-restore.ts";
export { restoreBackup } from "./restore-backup.ts";
export { adminToken, masterKeys } from "./secret-fields.ts";
export { readOrMakeSecrets, secretsFile } from "./stored-secrets.ts";
export { verifyBackup } from "./verify-backup.ts";
export { writeWhole } from "./write-whole.ts";
