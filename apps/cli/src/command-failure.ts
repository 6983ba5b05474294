/** The error codes of the command line tool and their exit codes. */
const exitCodes = {
  bad_arguments: 2,
  bad_environment: 2,
  unreadable_file: 2,
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
} as const;

/** Exit code for errors that the hub returns, such as an unknown user or an invalid date. */
export const REFUSED = 1;

type OwnCode = keyof typeof exitCodes;

/** An error that ends the command. `message` is for the operator, `code` for programs. */
export class CommandFailure extends Error {
  override name = "CommandFailure";
  readonly code: string;
  readonly exitCode: number;

  /** @param code a key of `exitCodes`, or an error code of packages/api/src/errors.ts */
  constructor(code: OwnCode | (string & {}), message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.exitCode = Object.hasOwn(exitCodes, code) ? exitCodes[code as OwnCode] : REFUSED;
  }
}
