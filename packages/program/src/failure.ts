/** The programs' own codes, and those of the hub that need an exit code of their own. */
const exitCodes = {
  bad_arguments: 2,
  bad_environment: 2,
  unreadable_file: 2,
  no_terminal: 2,
  damaged_archive: 2,
  newer_schema: 2,
  wrong_keys: 2,
  target_in_use: 2,
  target_not_empty: 2,
  target_refused: 2,
  no_space: 2,
  no_hub: 3,
  no_token: 4,
  token_refused: 4,
  unauthenticated: 4,
  wrong_credentials: 4,
  wrong_password: 4,
  scope_missing: 4,
  changed_here: 5,
  soul_changed: 5,
} as const;

/** Exit code for everything else that a hub or a program refuses. */
export const REFUSED = 1;

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
