/** What a failure of the tool itself is called, and the exit code that it ends with. */
const exitCodes = {
  bad_arguments: 2,
  bad_environment: 2,
  no_hub: 3,
  no_token: 4,
  token_refused: 4,
} as const;

/** For whatever the hub refuses: no such user, a date that is none, too busy. */
export const REFUSED = 1;

type OwnCode = keyof typeof exitCodes;

/** Ends the command with words for people and a code for machines. */
export class CommandFailure extends Error {
  override name = "CommandFailure";
  readonly code: string;
  readonly exitCode: number;

  /** @param code one of the tool's own, or the hub's (packages/api/src/errors.ts) */
  constructor(code: OwnCode | (string & {}), message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.exitCode = Object.hasOwn(exitCodes, code) ? exitCodes[code as OwnCode] : REFUSED;
  }
}
