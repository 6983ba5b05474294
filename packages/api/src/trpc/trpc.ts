import { initTRPC, TRPCError, type TRPCProcedureType } from "@trpc/server";
import { ZodError } from "zod";
import { assertPass, type Caller } from "../accounts/caller.ts";
import type { CallContext, RequestContext, Transport } from "../context.ts";
import { isConnectionError, isReadOnly, isStorageFull } from "../db/database-errors.ts";
import { type FailureCode, HubError } from "../errors.ts";
import { RETRY_AFTER_S } from "../maintenance.ts";
import type { RateRule } from "../rate-limits.ts";
import { trpcErrorCodeOf } from "./error-codes.ts";
import { assertWellFormed } from "./well-formed.ts";

declare module "../context.ts" {
  interface RequestContext {
    /**
     * The results of the checks that the transport ran before it read the body. The index is that
     * of the call in the batch. A result is the error of a refused call, or null for an allowed
     * call. A call without a result is checked by its procedure.
     */
    refusals?: readonly (HubError | null | undefined)[] | undefined;
  }
}

/**
 * The callers that a procedure accepts (specification §4, Auth column).
 * - `open`: every caller.
 * - `member`: a session or a key ("Session/Key").
 * - `participant`: on REST a session or a key; on the other transports also a guest.
 * - `keyHolder`: on REST only a key ("Bearer"); on the other transports a key or a session.
 * - `passHolder`: a key needs an active vip or pro pass on every transport. REST accepts nothing
 *   else; the other transports also accept sessions and guests, under their daily quota.
 * - `reader`: on REST only a key; on the other transports every caller. The procedure requires a pass
 *   where one is needed.
 * - `admin`: the operator's ADMIN_TOKEN. Every other caller gets 404 `not_found`.
 */
export type AccessLevel =
  | "open"
  | "member"
  | "participant"
  | "keyHolder"
  | "passHolder"
  | "reader"
  | "admin";

/** How an endpoint answers a repeated call, if parts of its answer may change or be removed. */
interface Replay {
  /** Returns the part of an answer that is stored. */
  keep(answer: object): object;
  /**
   * Completes a stored part with the present state.
   * @param input the body, which equals that of the first call
   */
  restore(ctx: CallContext, input: unknown, kept: object): Promise<object>;
}

/** The meta of a procedure with a REST endpoint, which is also an OpenAPI operation. */
export interface RestMeta {
  access?: AccessLevel;
  /** The largest body in bytes, on REST and on tRPC over HTTP. Default {@link DEFAULT_BODY_BYTES}. */
  maxBodyBytes?: number;
  /** The method and the path below /api, with `{name}` for a path parameter. */
  rest: `${"GET" | "POST" | "PUT" | "DELETE"} /${string}`;
  summary: string;
  description?: string;
  /** The release that added an endpoint which specification §4 does not list. */
  since?: string;
  /** The error codes of this endpoint. OpenAPI adds the codes common to all endpoints. */
  failures?: readonly FailureCode[];
  /** HTTP statuses of the error codes for which this endpoint differs from errors.ts. */
  statuses?: Partial<Record<FailureCode, number>>;
  /** True if all callers without a credential get the same response, with an ETag (decisions §7). */
  shared?: boolean;
  /**
   * True for a shared response that only holders of a link should find: no cache stores it without
   * asking again, and no search engine may list it (0042).
   */
  isUnlisted?: boolean;
  /** True for a GET that may take long. Its abort signal aborts if the client disconnects. */
  waits?: boolean;
  /**
   * Name of a rate limit that is stricter than the usual limit of reads or writes (rate-limits.ts).
   */
  rateRule?: "register" | "export" | "copy";
  /** True if the endpoint accepts Idempotency-Key (decisions §7). */
  idempotent?: boolean;
  /** How a repeated call with an Idempotency-Key is answered. By default the answer is stored. */
  replay?: Replay;
  /** True if the endpoint streams the reply for `Accept: text/event-stream`. */
  streams?: boolean;
  /** Documentation: an example of the body, for a body with fields that exclude each other. */
  body?: object;
  /** Documentation: examples of the response by name, for a response of several shapes. */
  answers?: Readonly<Record<string, object>>;
  /** Documentation: which cookie the response sets, and when. */
  setsCookie?: string;
}

/** The meta of a procedure. Without `rest`, the procedure has no REST endpoint. */
export type HubMeta =
  | RestMeta
  | (Pick<RestMeta, "access" | "maxBodyBytes"> & { rest?: never; rateRule?: never });

const DEFAULT_BODY_BYTES = 64 * 1024;

export const bodyLimitOf = (meta: HubMeta | undefined): number =>
  meta?.maxBodyBytes ?? DEFAULT_BODY_BYTES;

const t = initTRPC
  .context<RequestContext>()
  .meta<HubMeta>()
  .create({
    isServer: true,
    isDev: false,
    errorFormatter({ error, shape, ctx }) {
      const failure = toHubError(error);
      const body = failure.toBody(ctx?.requestId ?? "");
      const { success: _, message, ...data } = body;
      const { status } = failure;
      const code = trpcErrorCodeOf(status);
      return {
        code: code.number,
        message,
        data: { ...data, code: code.name, path: shape.data.path, httpStatus: status },
      };
    },
    sse: {
      ping: { enabled: true, intervalMs: 10_000 },
      client: { reconnectAfterInactivityMs: 20_000 },
    },
  });

export const router = t.router;
/** Joins routers of one slice, whose endpoints are in two folders. */
export const mergeRouters = t.mergeRouters;

/**
 * Maps any thrown value to the error that the caller gets. An unexpected value becomes `internal`.
 */
export function toHubError(thrown: unknown): HubError {
  if (thrown instanceof HubError) return thrown;
  if (thrown instanceof TRPCError) {
    if (thrown.cause instanceof HubError) return thrown.cause;
    if (thrown.cause instanceof ZodError && thrown.code === "BAD_REQUEST") {
      return invalidInput(thrown.cause);
    }
    if (thrown.cause instanceof SyntaxError) return new HubError("invalid_json", { cause: thrown });
    const code = trpcFailures[thrown.code];
    if (code) return new HubError(code, { cause: thrown });
  }
  if (isStorageFull(thrown)) return new HubError("storage_full", { cause: thrown });
  if (isReadOnly(thrown))
    return new HubError("maintenance", { cause: thrown, retryAfter: RETRY_AFTER_S });
  if (isConnectionError(thrown)) return new HubError("overloaded", { cause: thrown });
  return new HubError("internal", { cause: thrown });
}

/** Maps the errors that tRPC itself raises before a procedure runs. */
const trpcFailures: Partial<Record<TRPCError["code"], FailureCode>> = {
  PARSE_ERROR: "invalid_json",
  BAD_REQUEST: "invalid_input",
  NOT_FOUND: "not_found",
  METHOD_NOT_SUPPORTED: "method_not_allowed",
  UNSUPPORTED_MEDIA_TYPE: "unsupported_media_type",
  PAYLOAD_TOO_LARGE: "body_too_large",
};

const invalidInput = (error: ZodError): HubError =>
  new HubError("invalid_input", {
    details: error.issues.map((issue) => ({
      field: issue.path.join("."),
      message: isMissing(issue) ? "is required" : issue.message,
    })),
  });

const isMissing = ({ code, message }: ZodError["issues"][number]) =>
  code === "invalid_type" && message.endsWith("received undefined");

/**
 * Checks the caller against an access level (specification §4, Auth column).
 * @throws HubError `unauthenticated`, `pass_required`, `pass_expired`; `not_found` for `admin`
 */
export function authorize(caller: Caller, access: AccessLevel, transport: Transport): void {
  if (access === "admin") {
    if (caller.kind !== "admin") throw new HubError("not_found");
    return;
  }
  if (caller.kind === "admin" || caller.kind === "refused") throw new HubError("unauthenticated");
  if (access === "open" || (access === "participant" && transport !== "rest")) return;
  if (access === "passHolder" || access === "reader") {
    if (transport === "rest" && caller.kind !== "key") throw new HubError("unauthenticated");
    if (access === "passHolder") assertPass(caller);
    return;
  }
  const acceptsSession = access !== "keyHolder" || transport !== "rest";
  if (caller.kind === "key" || (caller.kind === "member" && acceptsSession)) return;
  throw new HubError("unauthenticated");
}

/**
 * Returns the rate limit that a call counts against. A subscription counts once, when it begins.
 */
export const rateRuleOf = (
  meta: Pick<RestMeta, "rateRule"> | undefined,
  type: "query" | "mutation" | "subscription",
): RateRule => meta?.rateRule ?? (type === "mutation" ? "write" : "read");

/** Rate limit points of a search, which takes about ten times as long as another read (0009). */
const SEARCH_POINTS = 10;

/**
 * Counts a call as a search, in addition to the one point that it has cost already.
 * @throws HubError `rate_limited`
 */
export const countAsSearch = async (ctx: CallContext): Promise<void> =>
  ctx.limit(ctx.caller, "read", SEARCH_POINTS - 1);

const carriedByCookie = (caller: Caller) =>
  caller.kind === "member" || (caller.kind === "guest" && caller.guest.hasCookie);

interface ProcedureKind {
  type: TRPCProcedureType;
  meta: HubMeta | undefined;
}

/**
 * Counts one call against the rate limits and checks the caller's rights. The transports run this
 * before they read a body (decisions §1, order of failures).
 * @throws HubError `rate_limited`, `csrf_rejected`, and the errors of {@link authorize}
 */
export async function checkCall(ctx: RequestContext, { type, meta }: ProcedureKind): Promise<void> {
  const caller = await ctx.identify();
  await ctx.limit(caller, rateRuleOf(meta, type));
  assertAllowed(ctx, caller, { type, meta });
}

function assertAllowed(ctx: RequestContext, caller: Caller, { type, meta }: ProcedureKind): void {
  authorize(caller, meta?.access ?? "open", ctx.transport);
  if (type === "mutation" && carriedByCookie(caller) && !ctx.sameOrigin) {
    throw new HubError("csrf_rejected");
  }
}

const procedure = t.procedure.use(async ({ ctx, meta, type, batchIndex, getRawInput, next }) => {
  const refusal = ctx.refusals?.[batchIndex];
  if (refusal) throw refusal;
  const isChecked = refusal === null || ctx.transport === "rest";
  if (!isChecked) await checkCall(ctx, { type, meta });
  const caller = await ctx.identify();
  // REST calls were counted and authorized before their body was read. Only their CSRF check
  // remains.
  if (ctx.transport === "rest") assertAllowed(ctx, caller, { type, meta });
  assertWellFormed(await getRawInput());
  const { storage, database, maintenance, upkeep } = ctx.hub;
  upkeep?.noteCall();
  if (type === "mutation" && storage.isFull) throw new HubError("storage_full");
  const known: Pick<CallContext, "caller" | "db"> = { caller, db: database.db };
  const run = () => next({ ctx: known });
  const result = await (type === "mutation" ? maintenance.write(run) : run());
  if (!result.ok && isStorageFull(result.error)) storage.foundFull();
  return result;
});

/**
 * A procedure that only callers with an account may call. The type of `ctx.caller` contains the
 * account.
 */
const withAccount = procedure.use(({ ctx, next }) => {
  if (!("account" in ctx.caller)) throw new HubError("unauthenticated");
  return next({ ctx: { caller: ctx.caller } });
});

export const open = procedure.meta({ access: "open" });
export const member = withAccount.meta({ access: "member" });
export const keyHolder = withAccount.meta({ access: "keyHolder" });
export const participantOnly = procedure.meta({ access: "participant" });
export const passHolder = procedure.meta({ access: "passHolder" });
export const passHolderAccount = withAccount.meta({ access: "passHolder" });
export const reader = procedure.meta({ access: "reader" });
export const admin = procedure.meta({ access: "admin" });
