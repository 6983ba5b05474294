import { LRUCache } from "lru-cache";
import type { Logger } from "pino";
import { currentCall, failureOf, startSpan } from "../tracing/call-scope.ts";

/** The totals of all statements with one name, which {@link statementName} returns. */
interface StatementTotals {
  name: string;
  count: number;
  seconds: number;
}

interface SlowStatements {
  /** Milliseconds from which a statement is logged; 0 logs none. */
  ms: number;
  log: Pick<Logger, "warn">;
}

type EndStatement = (error: unknown, rows: number) => void;
export type BeginStatement = (text: string) => EndStatement;

/** Searches create ever new statements, because these contain varying numbers. */
const MAX_TEXTS = 1_000;
/** Each name is two series of metrics (0071). */
const MAX_NAMES = 120;
const MAX_LOGGED_CHARS = 4_000;
const FUNCTION = /^\s*select \*.{0,200}? from (\w+)\(/is;
const TABLE = /\b(?:from|into|update|table|join)\s+(?:only\s+)?"?([a-z_]\w*)/i;
/** Kysely quotes its tables. A subquery in raw SQL, which may come before them, does not. */
const QUOTED_TABLE = /^\s*select\b.*?\bfrom\s+"(\w+)"/is;

/** Returns a statement's name, such as `select souls`, `store_held_reply` or `commit`. */
export function statementName(text: string): string {
  const called = FUNCTION.exec(text)?.[1];
  if (called) return called;
  const verb = /^[\s(]*([a-z]+)/i.exec(text)?.[1]?.toLowerCase() ?? "other";
  const table = (QUOTED_TABLE.exec(text) ?? TABLE.exec(text))?.[1];
  return table ? `${verb} ${table.toLowerCase()}` : verb;
}

/**
 * Counts the seconds of statements by name, logs slow ones and adds a span of each to its trace. The
 * values of a statement never arrive here, and its text contains none (0070).
 */
export class StatementWatch {
  readonly #byName = new Map<string, StatementTotals>();
  readonly #byText = new LRUCache<string, StatementTotals>({ max: MAX_TEXTS });
  #slow: SlowStatements | undefined;

  get totals(): Iterable<StatementTotals> {
    return this.#byName.values();
  }

  logSlow(slow: SlowStatements): void {
    this.#slow = slow;
  }

  /** Notes that a statement begins. Returns the function to call when it has ended. */
  begin(text: string): EndStatement {
    const totals = this.#byText.get(text) ?? this.#register(text);
    const { name } = totals;
    const span = startSpan(name, { kind: "client", attributes: STATEMENT });
    const call = currentCall();
    const start = performance.now();
    return (error, rows) => {
      const ms = performance.now() - start;
      totals.count += 1;
      totals.seconds += ms / 1_000;
      span?.set({ "db.response.returned_rows": rows });
      span?.end(error ? failureOf(error) : undefined);
      if (!this.#slow || this.#slow.ms === 0 || ms < this.#slow.ms) return;
      this.#slow.log.warn(
        {
          statement: text.slice(0, MAX_LOGGED_CHARS),
          ms: Math.round(ms),
          rows,
          ...(call && !call.isOver && { request_id: call.requestId }),
          ...(span && { trace_id: span.traceId }),
        },
        "a statement was slow",
      );
    };
  }

  #register(text: string): StatementTotals {
    const given = statementName(text);
    const name = this.#byName.has(given) || this.#byName.size < MAX_NAMES ? given : "other";
    const totals = this.#byName.get(name) ?? { name, count: 0, seconds: 0 };
    this.#byName.set(name, totals);
    this.#byText.set(text, totals);
    return totals;
  }
}

const STATEMENT = { "db.system.name": "postgresql" };
