import type { StandingNeed } from "../caller/assert-standing.ts";
import type { VerifiedNeed } from "../caller/assert-verified.ts";
import type { KeyNeed } from "../caller/key-scopes.schema.ts";
import type { CallContext } from "../context.ts";
import type { FailureCode } from "../errors.ts";

/**
 * The callers that a procedure accepts (specification §4, Auth column).
 * - `open`: every caller.
 * - `member`: a session or a key ("Session/Key").
 * - `participant`: on REST a session or a key; on the other transports also a guest.
 * - `keyHolder`: on REST only a key ("Bearer"); on the other transports a key or a session.
 * - `passHolder`: a key needs an active vip or pro pass on every transport. REST accepts nothing
 *   else; the other transports also accept sessions and guests, under their daily quota.
 * - `sessionOrPass`: a session, or a key with an active vip or pro pass, on every transport.
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
  | "sessionOrPass"
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
  /** The scope that a named key needs. Each access level takes it as its argument. */
  need?: KeyNeed;
  /** The largest body in bytes, on REST and on tRPC over HTTP. Default {@link DEFAULT_BODY_BYTES}. */
  maxBodyBytes?: number;
  /** The method and the path below /api, with `{name}` for a path parameter. */
  rest: `${"GET" | "POST" | "PUT" | "DELETE"} /${string}`;
  summary: string;
  description?: string;
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
  /**
   * Tells of a response that a repeated call soon answers otherwise. It is `no-store`, for callers
   * without a credential as well.
   */
  isPassing?: (answer: object) => boolean;
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
  /**
   * True for a DELETE whose fields come from its body alone, because one is a secret. A secret in a
   * URL would stay in the logs of proxies.
   */
  takesBody?: boolean;
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
