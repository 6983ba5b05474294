/**
 * Shared by the server and the operator's tool: the data directory, the explanation of settings,
 * and the restore of backups. The tool opens only databases that no hub uses (0013).
 */
export { ArchiveError } from "../archive/archive-error.ts";
export {
  type LockedDirectory,
  lockDataDirectory,
  readOrMakeSecrets,
  secretsFile,
} from "./data-directory.ts";
export { blame, EnvironmentError } from "./environment-error.ts";
export { fileTime } from "./file-time.ts";
export { assertNotMoved } from "./finish-restore.ts";
export { restoreBackup } from "./restore-backup.ts";
export { adminToken, masterKeys } from "./secret-fields.ts";
export { verifyBackup } from "./verify-backup.ts";
export { writeBackupFile } from "./write-backup-file.ts";
