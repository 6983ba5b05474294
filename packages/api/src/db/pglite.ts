import {
  messages as backend,
  PGlite,
  type PGliteOptions,
  protocol,
  type QueryOptions,
  type Results,
  type Transaction,
  types,
} from "@electric-sql/pglite";
import { isChange } from "./statement-kind.ts";

const { serialize } = protocol;
const BYTE_ORDER_MARK = "\ufeff";
/** Texts of statements that are remembered; the hub has some hundred, but searches carry numbers. */
const MAX_KNOWN = 1_000;
/** Of them, those that the database keeps parsed and planned, which it does for good. */
const MAX_KEPT = 500;
const COUNTED = /^(?:INSERT|UPDATE|DELETE|COPY|MERGE)\b.* (\d+)$/;

/** What is known of a statement once it was parsed. */
interface KnownStatement {
  /** Kept by the database, parsed and planned; empty: it is parsed each time. */
  name: string;
  paramTypes: number[];
}

/**
 * PGlite, but every text comes back as it was stored, and a statement is asked in one go. PGlite's own
 * `query` enters the database six times (parse, describe, bind, describe, execute, sync), which took
 * eight times as long as a statement that is known needs (docs/decisions/0015).
 */
class WholeTextPglite extends PGlite {
  readonly #known = new Map<string, KnownStatement>();
  #kept = 0;

  override async query<Row>(
    statement: string,
    params?: unknown[],
    options?: QueryOptions,
  ): Promise<Results<Row>> {
    await this._checkReady();
    return this._runExclusiveTransaction(async () => {
      const results = await this.#ask<Row>(statement, params, options);
      await this.syncToFs();
      return results;
    });
  }

  override transaction<Result>(work: (tx: Transaction) => Promise<Result>) {
    return super.transaction((tx) => {
      const query: Transaction["query"] = async <Row>(
        statement: string,
        params?: unknown[],
        options?: QueryOptions,
      ) => {
        if (tx.closed) throw new Error("Transaction is closed");
        return this.#ask<Row>(statement, params, options);
      };
      return work(Object.assign(Object.create(tx) as Transaction, { query }));
    });
  }

  #ask<Row>(statement: string, params: unknown[] = [], options?: QueryOptions) {
    return this._runExclusiveQuery(async () => {
      const known = this.#known.get(statement) ?? (await this.#learn(statement));
      const values = params.map((value, nth) => this.#asText(value, known.paramTypes[nth] ?? 0));
      const answer = await this.execProtocolStream(
        Buffer.concat([
          ...(known.name ? [] : [serialize.parse({ text: statement })]),
          serialize.bind({ statement: known.name, values }),
          serialize.describe({ type: "P" }),
          serialize.execute({}),
          serialize.sync(),
        ]),
        { syncToFs: false },
      );
      return this.#read<Row>(answer, options);
    });
  }

  /** Which types its parameters have; what changes rows by their keys is kept parsed and planned. */
  async #learn(text: string): Promise<KnownStatement> {
    const name = this.#kept < MAX_KEPT && isChange(text) ? `change_${++this.#kept}` : "";
    const answer = await this.execProtocolStream(
      Buffer.concat([
        serialize.parse({ text, name }),
        serialize.describe({ type: "S", name }),
        serialize.sync(),
      ]),
      { syncToFs: false },
    );
    const described = answer.find((one) => one instanceof backend.ParameterDescriptionMessage);
    const known = { name, paramTypes: described?.dataTypeIDs ?? [] };
    if (this.#known.size >= MAX_KNOWN) this.#forgetOldest();
    this.#known.set(text, known);
    return known;
  }

  #forgetOldest(): void {
    for (const [text, { name }] of this.#known) {
      if (!name) return void this.#known.delete(text);
    }
  }

  #asText(value: unknown, type: number): string | null {
    if (value === null || value === undefined) return null;
    const text = this.serializers[type]?.(value) ?? String(value);
    return text.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK + text : text;
  }

  #read<Row>(answer: readonly { name: string }[], options?: QueryOptions): Results<Row> {
    const parsers = options?.parsers ? { ...this.parsers, ...options.parsers } : this.parsers;
    let fields: Results["fields"] = [];
    const rows: unknown[] = [];
    let affectedRows = 0;
    for (const one of answer) {
      if (one instanceof backend.RowDescriptionMessage) {
        fields = one.fields.map(({ name, dataTypeID }) => ({ name, dataTypeID }));
      } else if (one instanceof backend.DataRowMessage) {
        const row: Record<string, unknown> = {};
        for (const [nth, { name, dataTypeID }] of fields.entries()) {
          row[name] = types.parseType(one.fields[nth] ?? null, dataTypeID, parsers);
        }
        rows.push(row);
      } else if (one instanceof backend.CommandCompleteMessage) {
        affectedRows = Number(COUNTED.exec(one.text)?.[1] ?? 0);
      }
    }
    return { rows: rows as Row[], fields, affectedRows };
  }
}

export async function openPglite(options: PGliteOptions): Promise<PGlite> {
  const pglite = new WholeTextPglite(options);
  await pglite.waitReady;
  return pglite;
}
