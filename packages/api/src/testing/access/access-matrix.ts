import type { StandingNeed } from "../../caller/assert-standing.ts";
import type { KeyNeed } from "../../caller/key-scopes.schema.ts";
import type { FailureCode } from "../../errors.ts";
import type { AccessLevel } from "../../trpc/procedure-meta.ts";
import type { Answer } from "../actor.ts";
import type { AccessMatrixWorld } from "./access-matrix-world.ts";
import { type CallerKind, callerKinds } from "./caller-kinds.ts";

/** The outcome of a call: `200`, or the status and the error code of a failure. */
export type Outcome = "200" | `${number} ${FailureCode}`;

interface More {
  headers?: Readonly<Record<string, string>>;
  /** The raw request body, sent in place of the row's fields. */
  raw?: string;
  /** The raw query string, sent in place of the row's fields. */
  query?: string;
  /**
   * True if the request is rejected before authorization. All callers then get the same outcome.
   */
  early?: true;
  /**
   * True if every endpoint has the row. The callers then send it by turns ({@link planRows}).
   */
  byTurns?: true;
  /** Runs after the request of each caller, and restores the state that the request changed. */
  after?: (world: AccessMatrixWorld, caller: CallerKind) => unknown;
}

type Outcomes = Readonly<Partial<Record<CallerKind | "authorized", Outcome>>>;

/** The fields of a row's request, or a function that prepares the world and returns them. */
export type Ask =
  | Record<string, unknown>
  | ((world: AccessMatrixWorld, caller: CallerKind) => object | Promise<object>);

/**
 * One row of the access matrix: the case, the request's fields and the outcome per caller. The
 * fields go into the path, the query or the body, as the endpoint declares them. `authorized` sets
 * the outcome of every caller that passes authorization; an outcome alone means `authorized`.
 * Without `authorized`, only the named callers send the request.
 */
export type Row = readonly [when: string, ask: Ask, outcomes: Outcome | Outcomes, more?: More];

export const outcomesIn = ([, , given]: Row): Outcomes =>
  typeof given === "string" ? { authorized: given } : given;

/** The rows of each endpoint, by its method and path, such as `PUT /soul/{id}`. */
export type AccessMatrix = Readonly<Record<string, readonly Row[]>>;

const unauthenticated: Outcome = "401 unauthenticated";
const notFound: Outcome = "404 not_found";
const rejectedByOpen = { "bad key": unauthenticated, operator: unauthenticated };
const rejectedByMember = { ...rejectedByOpen, nobody: unauthenticated, guest: unauthenticated };
const withoutPass = {
  key: "403 pass_required",
  moderator: "403 pass_required",
  expired: "403 pass_expired",
} as const;
const rejectedByKeyHolder = {
  ...rejectedByMember,
  member: unauthenticated,
  "owner's page": unauthenticated,
  adminStaff: unauthenticated,
};
/** Refuses all callers but some, as if there were no such endpoint. */
const onlyFor = (...accepted: CallerKind[]) =>
  Object.fromEntries(
    callerKinds.filter((caller) => !accepted.includes(caller)).map((caller) => [caller, notFound]),
  );
const restricted: Outcome = "403 account_suspended";

/**
 * For each access level, the callers that fail authorization with any input, and their outcomes.
 * See specification §4, Auth column, and decisions §1, Order.
 */
const unauthorized: Readonly<Record<AccessLevel, Readonly<Partial<Record<CallerKind, Outcome>>>>> =
  {
    open: rejectedByOpen,
    member: rejectedByMember,
    participant: rejectedByMember,
    keyHolder: rejectedByKeyHolder,
    passHolder: { ...rejectedByKeyHolder, ...withoutPass },
    sessionOrPass: { ...rejectedByMember, ...withoutPass },
    reader: rejectedByKeyHolder,
    staff: onlyFor("moderator", "adminStaff"),
    adminOrOperator: onlyFor("adminStaff", "operator"),
    admin: onlyFor("operator"),
  };

/** What the outcomes of an endpoint depend on, besides the row. */
type Endpoint = { access: AccessLevel; need: KeyNeed } & StandingNeed;

/**
 * The refusals of restricted accounts, which follow from the endpoint's meta (0057). They precede all
 * others but those of a level that the account does not have.
 */
function restrictedOutcomes({ access, whileSuspended, writes }: Endpoint) {
  if (isOfStaff(access)) return {};
  return {
    ...(!whileSuspended && { suspended: restricted }),
    ...(writes && { silenced: restricted }),
  };
}

export const isOfStaff = (access: AccessLevel) =>
  access === "admin" || access === "staff" || access === "adminOrOperator";

/**
 * Callers that also send the rows that name another caller, and share its outcome. `named` is a key of
 * vip. The staff have accounts like any other.
 */
const alike: Readonly<Partial<Record<CallerKind, CallerKind>>> = {
  named: "vip",
  moderator: "key",
  adminStaff: "member",
};

/** Returns the callers whom the checks before an endpoint's own code refuse, and their outcomes. */
export function refusedOutcomes(
  [, , , more]: Row,
  endpoint: Endpoint,
): Partial<Record<CallerKind, Outcome>> {
  const { access, need } = endpoint;
  if (more?.early) return {};
  return {
    ...unauthorized[access],
    ...(need === "main" && access !== "admin" && { named: "403 scope_missing" }),
    ...restrictedOutcomes(endpoint),
  };
}

/** Returns the callers of a row and the expected outcome of each. */
export function expectedOutcomes(
  row: Row,
  endpoint: Endpoint,
): Partial<Record<CallerKind, Outcome>> {
  const given = outcomesIn(row);
  const refused = refusedOutcomes(row, endpoint);
  const wanted = (caller: CallerKind) =>
    given[caller] ?? given[alike[caller] ?? caller] ?? given.authorized;
  return Object.fromEntries(
    callerKinds.filter(wanted).map((caller) => [caller, refused[caller] ?? wanted(caller)]),
  );
}

/** A row of an endpoint, and the callers that send its request. */
export type SentRow = readonly [when: string, row: Row, callers: readonly CallerKind[]];

/**
 * Chooses the callers of each row. A row that every endpoint has is sent by turns: over the endpoints
 * of an access level, each authorized and each refused caller sends it at least once.
 */
export function planRows<One extends Endpoint>(
  endpoints: readonly One[],
  rowsOf: (endpoint: One) => readonly Row[],
): (readonly [endpoint: One, rows: SentRow[]])[] {
  const planned = endpoints.map((endpoint) => [endpoint, rowsOf(endpoint)] as const);
  const sent = new Map<string, number>();
  const timesOf = (key: string) => sent.get(key) ?? 0;
  /** The number of endpoints of a level that have the row. */
  const shared = Map.groupBy(
    planned.flatMap(([{ access }, rows]) => rows.map(([when]) => `${access}, ${when}`)),
    (name) => name,
  );
  return planned.map(([endpoint, rows]) => {
    const callersOf = (row: Row): CallerKind[] => {
      const callers = Object.keys(expectedOutcomes(row, endpoint)) as CallerKind[];
      if (!row[3]?.byTurns) return callers;
      const name = `${endpoint.access}, ${row[0]}`;
      const refused = refusedOutcomes(row, endpoint);
      return [true, false].flatMap((isRefused) => {
        const group = callers.filter((who) => who in refused === isRefused);
        const keyOf = (who: CallerKind) => `${name}, ${isRefused}, ${who}`;
        // One more, since the endpoints of a level do not all refuse the same callers.
        const atOnce = Math.ceil((group.length + 1) / (shared.get(name)?.length ?? 1));
        const next = group.sort((a, b) => timesOf(keyOf(a)) - timesOf(keyOf(b))).slice(0, atOnce);
        for (const who of next) sent.set(keyOf(who), timesOf(keyOf(who)) + 1);
        return next;
      });
    };
    return [endpoint, rows.map((row): SentRow => [row[0], row, callersOf(row)])] as const;
  });
}

export const outcomeOf = ({ status, body }: Answer): string =>
  status === 200 ? "200" : `${status} ${body?.error}`;
