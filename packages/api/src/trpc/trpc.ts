import { Readable } from "node:stream";
import { initTRPC, TRPCError, type TRPCProcedureType } from "@trpc/server";
import { ZodError, z } from "zod";
import { assertPass, assertScope, type Caller } from "../accounts/caller.ts";
import { assertVerified, type VerifiedNeed } from "../accounts/email/assert-verified.ts";
import type { KeyNeed } from "../accounts/keys/key-scopes.schema.ts";
import type { Role } from "../accounts/roles/role.schema.ts";
import { assertStanding, type StandingNeed } from "../accounts/standing/assert-standing.ts";
import type { CallContext, Hub, RequestContext } from "../context.ts";
import { isConnectionError, isReadOnly, isStorageFull } from "../db/database-errors.ts";
import { type FailureCode, HubError } from "../errors.ts";
import { RETRY_AFTER_S } from "../maintenance.ts";
import type { RateRule } from "../rate-limits.ts";
import { trpcErrorCodeOf } from "./error-codes.ts";
import { assertWellFormed } from "./well-formed.ts";

declare module "../context.ts" {
  interface HubConfig {
    /** True if callers without an account may chat and listen (0058). */
    guests: boolean;
  }
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
 * - `staff`: an account whose role is moderator or admin, with a session or its main key. Every other
 *   caller gets 404 `not_found`, and a named key 403 `scope_missing`.
 * - `adminOrOperator`: the same for the role admin, or the operator's ADMIN_TOKEN.
 * - `admin`: the operator's ADMIN_TOKEN. Every other caller gets 404 `not_found`.
 */
export type AccessLevel =
  | "open"
  | "member"
  | "participant"
  | "keyHolder"
  | "passHolder"
  | "reader"
  | "staff"
  | "adminOrOperator"
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
export interface RestMeta extends StandingNeed, VerifiedNeed {
  access?: AccessLevel;
  /** What a named key needs, which each access level takes as its argument. */
  need?: KeyNeed;
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
  rateRule?:
    | "register"
    | "forgotPassword"
    | "export"
    | "copy"
    | "import"
    | "archive"
    | "archiveImport";
  /**
   * The media types of a body that is a file. Its bytes are the field `file` of the input; all other
   * fields come from the query. REST alone carries files (decisions §7, Files).
   */
  takesFile?: readonly string[];
  /**
   * True if the body goes to a temporary file instead of memory. Its path is then the field `file`.
   * The file is deleted after the response.
   */
  spoolsFile?: boolean;
  /** The media types of a response that is a file: the endpoint returns a {@link FileAnswer}. */
  sendsFile?: readonly string[];
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

/** A response that is a file. */
export const fileAnswer = z.object({
  /** The name under which a browser saves the file: ASCII without quotes. */
  name: z.string(),
  mediaType: z.string(),
  bytes: z.custom<Uint8Array | Readable>(
    (bytes) => bytes instanceof Uint8Array || bytes instanceof Readable,
  ),
});
export type FileAnswer = z.infer<typeof fileAnswer>;

/** The meta of a procedure. Without `rest`, the procedure has no REST endpoint. */
export type HubMeta =
  | RestMeta
  | (Pick<
      RestMeta,
      "access" | "need" | "maxBodyBytes" | keyof StandingNeed | keyof VerifiedNeed
    > & {
      rest?: never;
      rateRule?: never;
      takesFile?: never;
      sendsFile?: never;
    });

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

/** The error of an input that its schema refuses. */
export const invalidInput = (error: ZodError): HubError =>
  new HubError("invalid_input", {
    details: error.issues.map((issue) => ({
      field: issue.path.join("."),
      message: isMissing(issue) ? "is required" : issue.message,
    })),
  });

const isMissing = ({ code, message }: ZodError["issues"][number]) =>
  code === "invalid_type" && message.endsWith("received undefined");

/** What {@link authorize} reads of a procedure. */
export type AccessMeta = Pick<RestMeta, "access" | "need" | keyof StandingNeed>;

/** The roles of the accounts that each level of the hub's staff accepts (0057). */
const staffRoles = {
  staff: ["moderator", "admin"],
  adminOrOperator: ["admin"],
  admin: [],
} as const satisfies Partial<Record<AccessLevel, readonly Role[]>>;

const isStaffLevel = (access: AccessLevel): access is keyof typeof staffRoles =>
  access in staffRoles;

/** @throws HubError `not_found`, and `scope_missing` for a named key */
function assertRole(caller: Caller, access: keyof typeof staffRoles): void {
  if (caller.kind === "admin" && access !== "staff") return;
  const roles: readonly Role[] = staffRoles[access];
  if (roles.length > 0) assertScope(caller, "main");
  if (!("account" in caller) || !roles.includes(caller.account.role)) {
    throw new HubError("not_found");
  }
}

/**
 * Checks the caller against an access level (specification §4, Auth column), a named key against what
 * the procedure needs (decisions §3), the standing of the account (0057), and whether the hub lets
 * guests chat (0058).
 * @throws HubError `unauthenticated`, `scope_missing`, `pass_required`, `pass_expired`,
 *   `account_suspended`; `not_found` for the levels of the staff and the operator
 */
export function authorize(
  caller: Caller,
  meta: AccessMeta,
  { transport, hub }: Pick<RequestContext, "transport" | "hub">,
): void {
  const { access = "open", need = "main" } = meta;
  if (isStaffLevel(access)) {
    assertRole(caller, access);
    assertStanding(caller, meta);
    return;
  }
  if (caller.kind === "admin" || caller.kind === "refused") throw new HubError("unauthenticated");
  if (caller.kind === "guest" && need === "chat" && !hub.config.guests) {
    throw new HubError("unauthenticated");
  }
  assertStanding(caller, meta);
  assertScope(caller, need);
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

/** What the checks of a call read of its procedure. */
export interface ProcedureKind {
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
  // JSON would make a file a third larger, so REST alone carries files.
  const isForFiles = meta?.takesFile !== undefined || meta?.sendsFile !== undefined;
  if (isForFiles && ctx.transport !== "rest") throw new HubError("not_found");
  authorize(caller, meta ?? {}, ctx);
  assertVerified(caller, meta ?? {}, ctx.hub.config);
  if (type === "mutation" && carriedByCookie(caller) && !ctx.sameOrigin) {
    throw new HubError("csrf_rejected");
  }
}

const procedure = t.procedure.use(async ({ ctx, meta, type, batchIndex, getRawInput, next }) => {
  const refusal = ctx.refusals?.[batchIndex];
  if (refusal) throw refusal;
  const isChecked = refusal === null || ctx.transport === "rest";
  if (!isChecked) await checkCall(ctx, { type, meta });
  const known = await admit(ctx, { type, meta }, await getRawInput());
  const result = await underway(ctx.hub, type, () => next({ ctx: known }));
  if (!result.ok && isStorageFull(result.error)) ctx.hub.storage.foundFull();
  return result;
});

/** Checks a call with its input, and returns what the call's context gains. */
async function admit(
  ctx: RequestContext,
  kind: ProcedureKind,
  input: unknown,
): Promise<Pick<CallContext, "caller" | "db">> {
  const caller = await ctx.identify();
  // Calls over plain HTTP were counted and authorized before their body was read. Meanwhile the
  // account may have been suspended, and REST has not checked CSRF yet.
  assertAllowed(ctx, caller, kind);
  assertWellFormed(input);
  return { caller, db: ctx.hub.database.db };
}

/** @throws HubError `storage_full`, `maintenance` */
async function underway<Result>(
  { storage, maintenance, upkeep }: Hub,
  type: TRPCProcedureType,
  run: () => Promise<Result>,
): Promise<Result> {
  upkeep?.noteCall();
  if (type === "mutation" && storage.isFull) throw new HubError("storage_full");
  return type === "mutation" ? maintenance.write(run) : run();
}

/**
 * Runs a call of a transport beside tRPC, such as `/v1`, with the checks of every procedure. The
 * transport has run {@link checkCall} before it read the body.
 * @param input the parsed body, which must be well-formed
 * @throws HubError those of the checks, and what `run` throws
 */
export async function runCall<Result>(
  ctx: RequestContext,
  kind: ProcedureKind,
  input: unknown,
  run: (call: CallContext) => Promise<Result>,
): Promise<Result> {
  const known = await admit(ctx, kind, input);
  try {
    return await underway(ctx.hub, kind.type, () => run({ ...ctx, ...known }));
  } catch (error) {
    if (isStorageFull(error)) ctx.hub.storage.foundFull();
    throw error;
  }
}

/**
 * A procedure that only callers with an account may call. The type of `ctx.caller` contains the
 * account.
 */
const withAccount = procedure.use(({ ctx, next }) => {
  if (!("account" in ctx.caller)) throw new HubError("unauthenticated");
  return next({ ctx: { caller: ctx.caller } });
});

// Each level takes what a named key needs, so that no procedure can forget it (0050).
export const open = (need: KeyNeed) => procedure.meta({ access: "open", need });
export const member = (need: KeyNeed) => withAccount.meta({ access: "member", need });
export const keyHolder = (need: KeyNeed) => withAccount.meta({ access: "keyHolder", need });
export const participantOnly = (need: KeyNeed) => procedure.meta({ access: "participant", need });
export const passHolder = (need: KeyNeed) => procedure.meta({ access: "passHolder", need });
export const passHolderAccount = (need: KeyNeed) =>
  withAccount.meta({ access: "passHolder", need });
export const reader = (need: KeyNeed) => procedure.meta({ access: "reader", need });
export const staff = () => withAccount.meta({ access: "staff", need: "main" });
export const adminOrOperator = () => procedure.meta({ access: "adminOrOperator", need: "main" });
export const admin = procedure.meta({ access: "admin" });
