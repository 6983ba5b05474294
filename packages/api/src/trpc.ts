import { initTRPC, TRPCError } from "@trpc/server";
import { ZodError } from "zod";
import type { Caller } from "./accounts/caller.ts";
import type { CallContext, Door, DoorContext } from "./context.ts";
import { isLostConnection } from "./db/lost-connection.ts";
import { type FailureCode, HubError } from "./errors.ts";
import type { RateRule } from "./rate-limits.ts";
import { trpcCodeOf } from "./trpc-codes.ts";
import { assertWellFormed } from "./well-formed.ts";

/**
 * Who may call (specification §4, Auth column).
 * - `open`: anybody.
 * - `member`: a session or a key ("Session/Key").
 * - `keyHolder`: REST takes a key alone ("Bearer"); the other doors a key or a session.
 * - `passHolder`: a key needs an active vip or pro pass on every door. REST takes nothing else;
 *   the hub's own frontends also come with a session or as guests, under their daily quota.
 * - `admin`: the operator's ADMIN_TOKEN. For everybody else there is nothing here.
 */
export type Rung = "open" | "member" | "keyHolder" | "passHolder" | "admin";

/** How a procedure stands in REST and OpenAPI. */
export interface RestMeta {
  method: "GET" | "POST" | "PUT" | "DELETE";
  /** Below /api, with `{name}` for a path parameter. */
  path: `/${string}`;
  summary: string;
  description?: string;
  tag: string;
  /** The failures of its own; those that every such endpoint can give are added. */
  failures?: readonly FailureCode[];
  /** Those of them that have another status here than in the table. */
  statuses?: Partial<Record<FailureCode, number>>;
  /** Bytes a body may have. */
  maxBodyBytes?: number;
  /** The same for everybody who shows no credential: answers carry an ETag (decisions §7). */
  shared?: boolean;
  /** May be given again to who asks the same again, while it stands (docs/decisions/0021). */
  mayStand?: boolean;
  /** Where the usual limit of reads or writes would be too generous (rate-limits.ts). */
  rateRule?: "register";
  /** Heeds Idempotency-Key (decisions §7). */
  idempotent?: boolean;
  /** Can be asked for in pieces, with `Accept: text/event-stream`. */
  streams?: boolean;
  /** For readers: an example of the body, where its fields don't all go together. */
  body?: object;
  /** For readers: examples of the answer by name, where it has more than one shape. */
  answers?: Readonly<Record<string, object>>;
  /** For readers: which cookie the answer sets, and when. */
  setsCookie?: string;
}

export interface HubMeta {
  rung?: Rung;
  /** A subscription that gives PushedEvents: over a socket it needs no signal to be ended. */
  pushes?: boolean;
  rest?: RestMeta;
}

const t = initTRPC
  .context<DoorContext>()
  .meta<HubMeta>()
  .create({
    isServer: true,
    isDev: false,
    errorFormatter({ error, shape, ctx }) {
      const failure = toHubError(error);
      const body = failure.toBody(ctx?.requestId ?? "");
      const { success: _, message, ...data } = body;
      const { status } = failure;
      const code = trpcCodeOf(status);
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

/** The failure behind whatever was thrown; what nobody foresaw is `internal` and reveals nothing. */
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
  if (isLostConnection(thrown)) return new HubError("overloaded", { cause: thrown });
  return new HubError("internal", { cause: thrown });
}

/** What tRPC itself refuses, before any procedure of ours runs. */
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

/** The ladder. REST asks it before it reads a body, every procedure asks it again. */
export function admit(caller: Caller, rung: Rung, door: Door): void {
  if (rung === "admin") {
    if (caller.kind !== "admin") throw new HubError("not_found");
    return;
  }
  if (caller.kind === "admin" || caller.kind === "refused") throw new HubError("unauthenticated");
  if (rung === "open") return;
  if (rung === "passHolder") {
    if (caller.kind === "key") assertPass(caller);
    else if (door === "rest") throw new HubError("unauthenticated");
    return;
  }
  const sessionWillDo = rung === "member" || door !== "rest";
  if (caller.kind === "key" || (caller.kind === "member" && sessionWillDo)) return;
  throw new HubError("unauthenticated");
}

function assertPass({ account }: Extract<Caller, { kind: "key" }>): void {
  if (account.tier !== "free") return;
  throw new HubError(account.passExpired ? "pass_expired" : "pass_required");
}

/** Which limit a call counts against. A subscription counts once, when it begins. */
export const rateRuleOf = (
  rest: Pick<RestMeta, "rateRule"> | undefined,
  type: "query" | "mutation" | "subscription",
): RateRule => rest?.rateRule ?? (type === "mutation" ? "write" : "read");

const carriedByCookie = (caller: Caller) =>
  caller.kind === "member" || (caller.kind === "guest" && caller.guest.hasCookie);

const procedure = t.procedure.use(async ({ ctx, meta, type, getRawInput, next }) => {
  const caller = await ctx.identify();
  // REST has asked before it read the body; here each call of a batch counts.
  if (ctx.door !== "rest") await ctx.limit(caller, rateRuleOf(meta?.rest, type));
  admit(caller, meta?.rung ?? "open", ctx.door);
  if (type === "mutation" && carriedByCookie(caller) && !ctx.sameOrigin) {
    throw new HubError("csrf_rejected");
  }
  assertWellFormed(await getRawInput());
  const known: Pick<CallContext, "caller" | "db"> = { caller, db: ctx.hub.database.db };
  return next({ ctx: known });
});

/** For the rungs that only accounts reach: says so to the type checker. */
const withAccount = procedure.use(({ ctx, next }) => {
  if (!("account" in ctx.caller)) throw new HubError("unauthenticated");
  return next({ ctx: { caller: ctx.caller } });
});

export const open = procedure.meta({ rung: "open" });
export const member = withAccount.meta({ rung: "member" });
export const keyHolder = withAccount.meta({ rung: "keyHolder" });
export const passHolder = procedure.meta({ rung: "passHolder" });
export const admin = procedure.meta({ rung: "admin" });
