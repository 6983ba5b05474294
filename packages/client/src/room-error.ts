export interface RoomError {
  /** The hub's code, e.g. `private_session`; `unreachable` when it did not answer. */
  code: string;
  message: string;
}

interface HubFailure {
  message?: unknown;
  data?: { error?: unknown; httpStatus?: unknown } | null;
}

/** `isHubs`: the hub said so. `isFinal`: what it refused for a reason of the caller's stays refused. */
export function readFailure(cause: unknown): RoomError & { isFinal: boolean; isHubs: boolean } {
  const failure: HubFailure = typeof cause === "object" && cause !== null ? cause : {};
  const isHubs = typeof failure.data?.error === "string";
  const status = Number(failure.data?.httpStatus ?? 0);
  const isFinal = isHubs && status >= 400 && status < 500 && status !== 408 && status !== 429;
  const code = isHubs ? String(failure.data?.error) : "unreachable";
  const message = typeof failure.message === "string" ? failure.message : "The hub went away.";
  return { code, message, isFinal, isHubs };
}
