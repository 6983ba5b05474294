import rateLimit from "@fastify/rate-limit";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { type Caller, participantId } from "../accounts/caller.ts";
import { addressBlock } from "../accounts/guest-id.ts";
import { HubError } from "../errors.ts";

/** Calls of one account, or of one address without an account, in a window. */
interface Rule {
  max: number;
  windowMs: number;
}

const MINUTE_MS = 60_000;

/** docs/decisions/0009: several times what a busy page or a careful poller needs. */
const rules = {
  read: { max: 1_200, windowMs: MINUTE_MS },
  write: { max: 240, windowMs: MINUTE_MS },
  /** Each costs 19 MiB and a core, and makes a new name. */
  register: { max: 30, windowMs: 60 * MINUTE_MS },
} as const satisfies Record<string, Rule>;

export type RateRule = keyof typeof rules;

/** @throws HubError `rate_limited`; otherwise tells the caller in RateLimit-* what is left */
export type RateLimiter = (
  request: FastifyRequest,
  reply: FastifyReply,
  caller: Caller,
  rule: RateRule,
) => Promise<void>;

const KEY = "rateLimitKey";

/** Counted in this process: a limit protects a server, the daily quota protects the purse. */
export async function createRateLimiter(app: FastifyInstance, isOn: boolean): Promise<RateLimiter> {
  if (!isOn) return async () => undefined;
  await app.register(rateLimit, { global: false });
  app.decorateRequest(KEY, "");
  const keyGenerator = (request: FastifyRequest) => request.getDecorator<string>(KEY);
  const counters = Object.fromEntries(
    Object.entries(rules).map(([name, { max, windowMs }]) => [
      name,
      app.createRateLimit({ max, timeWindow: windowMs, keyGenerator }),
    ]),
  );

  return async (request, reply, caller, rule) => {
    // An address counts for all its guests and for whoever shows a bad key: new ones are for free.
    const isKnown = "account" in caller;
    request.setDecorator(
      KEY,
      `${rule} ${isKnown ? participantId(caller) : addressBlock(request.ip)}`,
    );
    const count = await counters[rule]?.(request);
    if (!count || count.isAllowed) return;
    reply
      .header("ratelimit-limit", count.max)
      .header("ratelimit-remaining", count.remaining)
      .header("ratelimit-reset", count.ttlInSeconds);
    if (count.isExceeded) throw new HubError("rate_limited", { retryAfter: count.ttlInSeconds });
  };
}
