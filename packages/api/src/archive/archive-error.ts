/** The reasons for which an archive or a target is refused. Nothing was changed. */
export type ArchiveProblem =
  | "backup_running"
  | "unreadable_file"
  | "damaged_archive"
  | "newer_schema"
  | "wrong_keys"
  | "target_in_use"
  | "target_not_empty"
  | "target_refused"
  | "no_space";

/** A refusal with a message for the operator. */
export class ArchiveError extends Error {
  override name = "ArchiveError";
  readonly code: ArchiveProblem;

  constructor(code: ArchiveProblem, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

export const damaged = (reason: string, cause?: unknown): ArchiveError =>
  new ArchiveError("damaged_archive", `This is not a whole backup: ${reason}.`, { cause });
