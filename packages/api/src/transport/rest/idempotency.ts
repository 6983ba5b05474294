import { hash } from "node:crypto";
import { sql } from "kysely";
import type { RequestContext } from "../../context.ts";
import type { Db } from "../../db/database.ts";
import { type FailureCode, type FailureDetail, HubError } from "../../errors.ts";
import { assertWellFormed, isJsonObject } from "../../trpc/well-formed.ts";
import { failureOf } from "../http/error-responses.ts";
import type { RestEndpoint } from "./rest-endpoints.ts";

/** A call with an Idempotency-Key. */
interface KeyedCall {
  endpoint: Pick<RestEndpoint, "method" | "path" | "replay">;
  key: string;
  body: unknown;
}

/** The claim of an Idempotency-Key, which is valid for one account and one route. */
interface Claim {
  db: Db;
  row: { account_id: number; route: string; key_hash: string };
  bodyHash: string;
}

type Outcome =
  | { answer: object }
  | { failure: { code: FailureCode; message: string; details?: FailureDetail[] | undefined } };

// Limits of the Idempotency-Key (decisions §7).
const MAX_KEY_CHARS = 255;
const RETENTION_HOURS = 24;
/**
 * After this time the hub assumes that a running call was lost in a crash of its server. A repeat
 * may then claim the call's Idempotency-Key.
 */
const LOST_MINUTES = 60;

/**
 * Returns the value of an Idempotency-Key header.
 * @throws HubError `invalid_input` for an empty or overlong key
 */
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
 * Runs a call once per Idempotency-Key (decisions §7). A repeat returns the stored outcome of the
 * first call, also if it failed. Failures with 401, 429 or 5xx and `cancelled` are not stored, since
 * a repeat may succeed.
 * @throws HubError `idempotency_mismatch` for another body, `idempotency_in_flight`,
 *   `storage_full`, `maintenance`, and the failures of the call
 */
export async function runOnce(
  ctx: RequestContext,
  { endpoint, key, body }: KeyedCall,
  run: () => Promise<object>,
): Promise<object> {
  const caller = await ctx.identify();
  if (!("account" in caller)) return run();
  // The claim of a key is a write, too.
  if (ctx.hub.storage.isFull) throw new HubError("storage_full");
  // canonicalJson is recursive, so the nesting depth of the body is checked first.
  assertWellFormed(body);
  const claim: Claim = {
    db: ctx.hub.database.db,
    row: {
      account_id: caller.account.id,
      route: `${endpoint.method} ${endpoint.path}`,
      key_hash: digest(key),
    },
    bodyHash: digest(canonicalJson(body)),
  };
  const { replay } = endpoint;
  const { db } = claim;
  return ctx.hub.maintenance.write(async () => {
    const known = await claimKey(claim);
    if (!known) return runClaimed(claim, run, replay);
    const kept = storedAnswer(known);
    return replay ? replay.restore({ ...ctx, caller, db }, body, kept) : kept;
  });
}

async function runClaimed(
  claim: Claim,
  run: () => Promise<object>,
  replay: RestEndpoint["replay"],
): Promise<object> {
  const answer = await run().catch(async (error: unknown) => {
    const failure = failureOf(error);
    if (isFinal(failure)) {
      const { code, message, details } = failure;
      await storeOutcome(claim, { failure: { code, message, details } });
    } else {
      await releaseKey(claim);
    }
    throw error;
  });
  // If storing the outcome fails, the key stays claimed, so that a repeat does not run the call
  // again.
  await storeOutcome(claim, { answer: replay?.keep(answer) ?? answer });
  return answer;
}

/**
 * Returns whether a failure is stored for repeats. `cancelled` is not stored: a client that lost its
 * connection repeats the call with the same key.
 */
const isFinal = ({ status, code }: HubError) =>
  status < 500 && status !== 401 && status !== 429 && code !== "cancelled";

const digest = (text: string) => hash("sha256", text, "base64url");

/**
 * Claims an Idempotency-Key and returns null. If an earlier call holds the key, returns the outcome
 * of that call.
 */
async function claimKey({ db, row, bodyHash }: Claim): Promise<Outcome | null> {
  // One statement claims a key that is new, expired, or held by a call that was lost with its
  // server.
  const mine = await sql`
    insert into idempotent_calls as known (account_id, route, key_hash, body_hash)
    values (${row.account_id}, ${row.route}, ${row.key_hash}, ${bodyHash})
    on conflict (account_id, route, key_hash) do update
      set body_hash = excluded.body_hash, outcome = null, created_at = hub_now()
      where known.created_at < hub_now() - make_interval(hours => ${RETENTION_HOURS})
        or known.outcome is null and known.created_at < hub_now() - make_interval(mins => ${LOST_MINUTES})
    returning 1`.execute(db);
  if (mine.rows.length > 0) return null;
  const found = await db
    .selectFrom("idempotent_calls")
    .select(["body_hash", "outcome"])
    .where((eb) => eb.and(row))
    .executeTakeFirst();
  // No row means that the first call failed and released its key between the insert and this
  // select.
  if (!found) throw new HubError("idempotency_in_flight");
  if (found.body_hash !== bodyHash) throw new HubError("idempotency_mismatch");
  if (found.outcome === null) throw new HubError("idempotency_in_flight");
  return JSON.parse(found.outcome) as Outcome;
}

function storedAnswer(outcome: Outcome): object {
  if ("answer" in outcome) return outcome.answer;
  const { code, message, details } = outcome.failure;
  throw new HubError(code, { message, ...(details ? { details } : {}) });
}

async function storeOutcome({ db, row }: Claim, outcome: Outcome): Promise<void> {
  await db
    .updateTable("idempotent_calls")
    .set({ outcome: JSON.stringify(outcome) })
    .where((eb) => eb.and(row))
    .execute();
}

async function releaseKey({ db, row }: Claim): Promise<void> {
  await db
    .deleteFrom("idempotent_calls")
    .where((eb) => eb.and(row))
    .execute();
}

/** Deletes the stored outcomes of expired Idempotency-Keys. */
export async function sweepIdempotentCalls(db: Db): Promise<void> {
  await sql`delete from idempotent_calls where created_at < hub_now() - make_interval(hours => ${RETENTION_HOURS})`.execute(
    db,
  );
}

/** Serialises JSON with sorted keys, so that equal JSON values give equal texts. */
function canonicalJson(value: unknown): string {
  return (
    JSON.stringify(value, (_key, inner: unknown) =>
      isJsonObject(inner)
        ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
        : inner,
    ) ?? ""
  );
}
