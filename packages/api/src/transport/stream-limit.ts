import { addressBlock } from "../caller/guest-id.ts";
import { HubError } from "../errors.ts";
import { AddressCounts } from "./address-counts.ts";

/**
 * Limit of open WebSockets and SSE streams per address. Several users may share an address, each
 * with several tabs.
 */
const MAX_STREAMS_PER_ADDRESS = 64;
const RETRY_SECONDS = 10;

/**
 * Counts a new WebSocket or SSE stream of an address (a /64 block for IPv6).
 * @returns a function that releases the stream; call it once
 * @throws HubError `rate_limited` at the limit
 */
export type StreamLimit = (ip: string) => () => void;

/**
 * Creates one limit for WebSockets and SSE streams together. It is enforced only while RATE_LIMITS
 * is on.
 */
export function createStreamLimit(isEnforced: boolean): StreamLimit {
  const open = new AddressCounts();
  return (ip) => {
    const block = addressBlock(ip);
    if (isEnforced && open.of(block) >= MAX_STREAMS_PER_ADDRESS) {
      throw new HubError("rate_limited", { retryAfter: RETRY_SECONDS });
    }
    open.add(block, 1);
    return () => open.add(block, -1);
  };
}
