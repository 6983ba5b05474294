/** A file that cannot be imported. The message is for people, and names no internals. */
export class FormatError extends Error {
  /** The path in the archive, the chunk or the field at fault; empty for the file itself. */
  readonly at: string;

  constructor(at: string, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "FormatError";
    this.at = at;
  }
}
