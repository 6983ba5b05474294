import { HubError } from "../../errors.ts";

/**
 * Returns a signal that aborts with the error code `cancelled` when the caller disconnects. tRPC's own
 * signals abort with a DOMException, which would be logged as an unexpected error.
 */
export function disconnectSignal(
  disconnected: AbortSignal | undefined,
): Disposable & { signal: AbortSignal } {
  const cancelled = new AbortController();
  const cancel = () => cancelled.abort(new HubError("cancelled"));
  if (disconnected?.aborted) cancel();
  disconnected?.addEventListener("abort", cancel);
  return {
    signal: cancelled.signal,
    // A socket outlives its calls, so the listener is removed after each call.
    [Symbol.dispose]: () => disconnected?.removeEventListener("abort", cancel),
  };
}
