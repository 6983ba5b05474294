/** The tool's own codes, and those of the hub that need an exit code of their own. */
const exitCodes = {
  bad_arguments: 2,
  bad_environment: 2,
  no_terminal: 2,
  unreadable_file: 2,
  no_hub: 3,
  unauthenticated: 4,
  wrong_credentials: 4,
  wrong_password: 4,
  scope_missing: 4,
  changed_here: 5,
  soul_changed: 5,
} as const;

/** Exit code for everything else that the hub or the tool refuses. */
const REFUSED = 1;
/** Exit code after Ctrl-C, as shells report it: 128 and the number of SIGINT. */
export const INTERRUPTED = 130;

type KnownCode = keyof typeof exitCodes;

/** An error that ends the command. `message` is for people, `code` for programs. */
export class Failure extends Error {
  override name = "Failure";
  readonly code: string;
  readonly exitCode: number;

  /** @param code a key of `exitCodes`, or an error code of packages/api/src/errors.ts */
  constructor(code: KnownCode | (string & {}), message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.exitCode = Object.hasOwn(exitCodes, code) ? exitCodes[code as KnownCode] : REFUSED;
  }
}

/** Ends the command after Ctrl-C. There is nothing to report. */
export class Interrupted extends Error {
  override name = "Interrupted";
}
