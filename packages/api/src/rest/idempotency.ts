import { hash } from "node:crypto";
import { sql } from "kysely";
import type { DoorContext } from "../context.ts";
import type { Db } from "../db/entities.ts";
import { failureOf } from "../doors/failure-answers.ts";
import { type FailureCode, type FailureDetail, HubError } from "../errors.ts";
import { assertWellFormed } from "../well-formed.ts";
import type { RestEndpoint } from "./rest-endpoints.ts";

/** One call under an Idempotency-Key, as REST received it. */
interface KeyedCall {
  endpoint: Pick<RestEndpoint, "method" | "path">;
  key: string;
  body: unknown;
}

/** A key is good for one account and one route. */
interface Claim {
  db: Db;
  accountId: number;
  route: string;
  keyHash: string;
  bodyHash: string;
}

type Outcome =
  | { answer: object }
  | { failure: { code: FailureCode; message: string; details?: FailureDetail[] | undefined } };

// Decisions §7, Idempotency-Key.
const MAX_KEY_CHARS = 255;
const KEPT_HOURS = 24;
/** A call that has run for so long died with its server; its key is free again. */
const LOST_MINUTES = 60;

/** @throws HubError `invalid_input` for an empty or overlong key */
export function readIdempotencyKey(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  if (typeof header === "string" && header.trim() !== "" && header.length <= MAX_KEY_CHARS) {
    return header;
  }
  throw new HubError("invalid_input", {
    details: [{ field: "Idempotency-Key", message: `must have 1 to ${MAX_KEY_CHARS} characters` }],
  });
}

/**
 * Runs a call once per key: a repeat gets the first one's answer, failures included, but for 401,
 * 429 and 5xx, which a repeat may mend.
 * @throws HubError `idempotency_mismatch` for another body, `idempotency_in_flight`, and the call's own
 */
export async function onceOnly(
  ctx: DoorContext,
  { endpoint, key, body }: KeyedCall,
  run: () => Promise<object>,
): Promise<object> {
  const caller = await ctx.identify();
  if (!("account" in caller)) return run();
  // Before the body is made canonical, which goes as deep as the body does.
  assertWellFormed(body);
  const claim: Claim = {
    db: ctx.hub.database.db,
    accountId: caller.account.id,
    route: `${endpoint.method} ${endpoint.path}`,
    keyHash: digest(key),
    bodyHash: digest(canonicalJson(body)),
  };
  const known = await take(claim);
  if (known) return replay(known);
  const answer = await run().catch(async (error: unknown) => {
    const failure = failureOf(error);
    if (isFinal(failure)) {
      const { code, message, details } = failure;
      await keep(claim, { failure: { code, message, details } });
    } else {
      await forget(claim);
    }
    throw error;
  });
  // Done is done: when this fails the key stays taken, and no repeat does the work again.
  await keep(claim, { answer });
  return answer;
}

/** A caller who was cut off asks again with the same key: that is what keys are for. */
const isFinal = ({ status, code }: HubError) =>
  status < 500 && status !== 401 && status !== 429 && code !== "cancelled";

const digest = (text: string) => hash("sha256", text, "base64url");

/** Takes the key for this call (null), or finds what an earlier call with it was answered. */
async function take({ db, accountId, route, keyHash, bodyHash }: Claim): Promise<Outcome | null> {
  // One statement takes a new key, an expired one, or one whose server died, but no other's.
  const mine = await sql`
    insert into idempotent_calls as known (account_id, route, key_hash, body_hash)
    values (${accountId}, ${route}, ${keyHash}, ${bodyHash})
    on conflict (account_id, route, key_hash) do update
      set body_hash = excluded.body_hash, outcome = null, created_at = hub_now()
      where known.created_at < hub_now() - make_interval(hours => ${KEPT_HOURS})
        or known.outcome is null and known.created_at < hub_now() - make_interval(mins => ${LOST_MINUTES})
    returning 1`.execute(db);
  if (mine.rows.length > 0) return null;
  const found = await db
    .selectFrom("idempotent_calls")
    .select(["body_hash", "outcome"])
    .where("account_id", "=", accountId)
    .where("route", "=", route)
    .where("key_hash", "=", keyHash)
    .executeTakeFirst();
  // No row: the first call has just failed in a way that a repeat may mend.
  if (!found) throw new HubError("idempotency_in_flight");
  if (found.body_hash !== bodyHash) throw new HubError("idempotency_mismatch");
  if (found.outcome === null) throw new HubError("idempotency_in_flight");
  return JSON.parse(found.outcome) as Outcome;
}

function replay(outcome: Outcome): object {
  if ("answer" in outcome) return outcome.answer;
  const { code, message, details } = outcome.failure;
  throw new HubError(code, { message, ...(details ? { details } : {}) });
}

async function keep({ db, accountId, route, keyHash }: Claim, outcome: Outcome): Promise<void> {
  await db
    .updateTable("idempotent_calls")
    .set({ outcome: JSON.stringify(outcome) })
    .where("account_id", "=", accountId)
    .where("route", "=", route)
    .where("key_hash", "=", keyHash)
    .execute();
}

async function forget({ db, accountId, route, keyHash }: Claim): Promise<void> {
  await db
    .deleteFrom("idempotent_calls")
    .where("account_id", "=", accountId)
    .where("route", "=", route)
    .where("key_hash", "=", keyHash)
    .execute();
}

/** For the sweeper. */
export async function sweepIdempotentCalls(db: Db): Promise<void> {
  await sql`delete from idempotent_calls where created_at < hub_now() - make_interval(hours => ${KEPT_HOURS})`.execute(
    db,
  );
}

/** Equal for equal JSON values, whatever the order of their fields. */
function canonicalJson(value: unknown): string {
  return (
    JSON.stringify(value, (_key, inner: unknown) =>
      typeof inner === "object" && inner !== null && !Array.isArray(inner)
        ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
        : inner,
    ) ?? ""
  );
}
