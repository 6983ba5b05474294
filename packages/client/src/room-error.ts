export interface RoomError {
  /**
   * Error code of the hub, e.g. `private_session`. It is `unreachable` if the hub did not respond.
   */
  code: string;
  message: string;
  /** With `banned`: the end in UTC; absent for a ban without end. */
  until?: string;
}

interface HubFailure {
  message?: unknown;
  data?: { error?: unknown; until?: unknown; httpStatus?: unknown } | null;
}

/**
 * Reads the error that ended a subscription. `isFromHub`: the hub itself sent the error. `isFinal`:
 * a retry would get the same refusal.
 */
export function readFailure(cause: unknown): RoomError & { isFinal: boolean; isFromHub: boolean } {
  const failure: HubFailure = typeof cause === "object" && cause !== null ? cause : {};
  const isFromHub = typeof failure.data?.error === "string";
  const status = Number(failure.data?.httpStatus ?? 0);
  const isFinal = isFromHub && status >= 400 && status < 500 && status !== 408 && status !== 429;
  const code = isFromHub ? String(failure.data?.error) : "unreachable";
  const message = typeof failure.message === "string" ? failure.message : "The hub is unreachable.";
  const until = failure.data?.until;
  return { code, message, ...(typeof until === "string" && { until }), isFinal, isFromHub };
}
