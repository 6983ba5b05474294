import { mkdir } from "node:fs/promises";
import { setImmediate as nextTurn } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import {
  messages as backend,
  PGlite,
  protocol,
  type QueryOptions,
  type Results,
  type Transaction,
  types,
} from "@electric-sql/pglite";
import { pg_trgm } from "@electric-sql/pglite/contrib/pg_trgm";
import type { DatabaseOptions } from "../database.ts";
import { StatementWatch } from "../statement-watch.ts";
import { CrashingNodeFs } from "./crashing-node-fs.ts";
import { FlushingNodeFs } from "./flushing-node-fs.ts";
import { isPrepared } from "./prepared-statements.ts";
import { parsers, sessionSettings } from "./session.ts";

const { serialize } = protocol;
/** Maximum time in milliseconds that consecutive statements may block the event loop. */
const MAX_HOLD_MS = 10;
/** A checkpoint keeps at most this much of the write-ahead log, where PostgreSQL keeps 80 MB or more (0034). */
const LOG_SETTINGS = ["-c", "min_wal_size=32MB", "-c", "max_wal_size=32MB"];
/**
 * PostgreSQL's cache of pages, where PGlite has 128 MB. The operating system caches the files as
 * well, and a search of 100,000 souls takes as long (0081).
 */
const CACHE_SETTINGS = ["-c", "shared_buffers=16MB"];
const BYTE_ORDER_MARK = "\ufeff";
/**
 * Maximum number of statements whose parameter types are cached. Searches create ever new
 * statements, because these contain varying numbers.
 */
const MAX_KNOWN = 1_000;
/** Maximum number of prepared statements, because PGlite never frees one. */
const MAX_PREPARED = 500;
/** The format code of a parameter that is bytes. */
const BINARY = 1;
const COMMAND_TAG = /^(?:INSERT|UPDATE|DELETE|COPY|MERGE)\b.* (\d+)$/;

interface KnownStatement {
  /** Name of the prepared statement. A statement with an empty name is parsed at each call. */
  name: string;
  paramTypes: number[];
}

/**
 * PGlite with one message exchange per statement. PGlite's own `query` needs six (parse, describe,
 * bind, describe, execute, sync) and takes eight times as long (0015). PGlite's decoder removes a
 * leading byte order mark of a text parameter, so this class doubles it.
 */
export class PipelinedPglite extends PGlite {
  watch = new StatementWatch();
  readonly #known = new Map<string, KnownStatement>();
  #preparedCount = 0;
  #turnedAt = 0;

  /**
   * Gives other work a turn of the event loop if statements have blocked it for too long. PGlite
   * runs in this thread, and queued statements follow each other without such a turn. Without these
   * pauses a batch of searches would delay every other connection.
   */
  async #letOthersRun(): Promise<void> {
    if (performance.now() - this.#turnedAt < MAX_HOLD_MS) return;
    await nextTurn();
    this.#turnedAt = performance.now();
  }

  override async query<Row>(
    statement: string,
    params?: unknown[],
    options?: QueryOptions,
  ): Promise<Results<Row>> {
    await this._checkReady();
    return this._runExclusiveTransaction(async () => {
      await this.#letOthersRun();
      const results = await this.#execute<Row>(statement, params, options);
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
        return this.#execute<Row>(statement, params, options);
      };
      return work(Object.assign(Object.create(tx) as Transaction, { query }));
    });
  }

  #execute<Row>(statement: string, params: unknown[] = [], options?: QueryOptions) {
    return this._runExclusiveQuery(async () => {
      const end = this.watch.begin(statement);
      try {
        const results = await this.#send<Row>(statement, params, options);
        end(null, results.affectedRows || results.rows.length);
        return results;
      } catch (error) {
        end(error, 0);
        throw error;
      }
    });
  }

  async #send<Row>(statement: string, params: unknown[], options?: QueryOptions) {
    const known = this.#known.get(statement) ?? (await this.#describe(statement));
    const values = params.map((value, nth) => this.#serialize(value, known.paramTypes[nth] ?? 0));
    const answer = await this.execProtocolStream(
      Buffer.concat([
        ...(known.name ? [] : [serialize.parse({ text: statement })]),
        ...bindMessage(known.name, values),
        serialize.describe({ type: "P" }),
        serialize.execute({}),
        serialize.sync(),
      ]),
      { syncToFs: false },
    );
    return this.#read<Row>(answer, options);
  }

  /**
   * Returns the parameter types of a statement. If `isPrepared` accepts the statement, it is also
   * kept as a prepared one.
   */
  async #describe(text: string): Promise<KnownStatement> {
    const isKept = this.#preparedCount < MAX_PREPARED && isPrepared(text);
    const name = isKept ? `hub_${++this.#preparedCount}` : "";
    const answer = await this.execProtocolStream(
      Buffer.concat([
        serialize.parse({ text, name }),
        serialize.describe({ type: "S", name }),
        serialize.sync(),
      ]),
      { syncToFs: false },
    );
    const described = answer.find(
      (message) => message instanceof backend.ParameterDescriptionMessage,
    );
    const known = { name, paramTypes: described?.dataTypeIDs ?? [] };
    if (this.#known.size >= MAX_KNOWN) this.#evictOldest();
    this.#known.set(text, known);
    return known;
  }

  #evictOldest(): void {
    for (const [text, { name }] of this.#known) {
      if (!name) return void this.#known.delete(text);
    }
  }

  #serialize(value: unknown, type: number): string | Uint8Array | null {
    if (value === null || value === undefined) return null;
    // PGlite's own serializer makes an array of texts from it, one for each byte.
    if (value instanceof Uint8Array) return value;
    const text = this.serializers[type]?.(value) ?? String(value);
    return text.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK + text : text;
  }

  #read<Row>(answer: readonly { name: string }[], options?: QueryOptions): Results<Row> {
    const parsers = options?.parsers ? { ...this.parsers, ...options.parsers } : this.parsers;
    let fields: Results["fields"] = [];
    const rows: unknown[] = [];
    let affectedRows = 0;
    for (const message of answer) {
      if (message instanceof backend.RowDescriptionMessage) {
        fields = message.fields.map(({ name, dataTypeID }) => ({ name, dataTypeID }));
      } else if (message instanceof backend.DataRowMessage) {
        const row: Record<string, unknown> = {};
        for (const [nth, { name, dataTypeID }] of fields.entries()) {
          row[name] = types.parseType(message.fields[nth] ?? null, dataTypeID, parsers);
        }
        rows.push(row);
      } else if (message instanceof backend.CommandCompleteMessage) {
        affectedRows = Number(COMMAND_TAG.exec(message.text)?.[1] ?? 0);
      }
    }
    return { rows: rows as Row[], fields, affectedRows };
  }
}

/**
 * Writes a Bind message in pieces. PGlite's own copies each value five times, and turns bytes into a
 * text for each byte: for a file of 14 MB this took seconds and a gigabyte.
 */
function bindMessage(statement: string, values: readonly (string | Uint8Array | null)[]) {
  const formats = Buffer.alloc(4 + 2 * values.length);
  formats.writeUInt16BE(values.length);
  formats.writeUInt16BE(values.length, formats.length - 2);
  const pieces: Uint8Array[] = [Buffer.from(`\0${statement}\0`), formats];
  for (const [nth, value] of values.entries()) {
    if (value instanceof Uint8Array) formats.writeUInt16BE(BINARY, 2 + 2 * nth);
    const bytes = typeof value === "string" ? Buffer.from(value) : value;
    const length = Buffer.alloc(4);
    length.writeInt32BE(bytes ? bytes.length : -1);
    pieces.push(length, ...(bytes ? [bytes] : []));
  }
  const resultFormats = Buffer.alloc(2);
  pieces.push(resultFormats);
  const head = Buffer.from("B\0\0\0\0");
  head.writeUInt32BE(
    pieces.reduce((sum, { length }) => sum + length, 4),
    1,
  );
  return [head, ...pieces];
}

/** Tells `reserve_units` that the hub and its database die together (0082). */
const PGLITE_SETTINGS = { ...sessionSettings, "hub.one_process": "on" };

let opening = 0;

/**
 * Runs `open` while V8 does not optimise the WebAssembly that it compiles. For PGlite, that would
 * take 500 MB and a CPU second per start (0081).
 */
async function withPlainWebAssembly<Opened>(open: () => Promise<Opened>): Promise<Opened> {
  if (opening++ === 0) optimizeWebAssembly(false);
  try {
    return await open();
  } finally {
    if (--opening === 0) optimizeWebAssembly(true);
  }
}

/** While a process runs, V8 derives no flag from another. */
function optimizeWebAssembly(isOn: boolean): void {
  for (const flag of ["wasm-tier-up", "wasm-dynamic-tiering"]) {
    setFlagsFromString(`--${isOn ? "" : "no-"}${flag}`);
  }
}

/**
 * Opens PGlite with the session settings and result types that both drivers share.
 * @throws Error with code `NOT_FLUSHED` if `sync` is on and this PGlite cannot flush its files
 */
export async function openPglite({
  directory,
  dump,
  sync = true,
}: DatabaseOptions = {}): Promise<PipelinedPglite> {
  // PGlite would let everyone on the machine read the directory.
  if (directory) await mkdir(directory, { recursive: true, mode: 0o700 });
  const flushing = directory && sync ? new FlushingNodeFs(directory) : null;
  const pglite = await withPlainWebAssembly(async () => {
    const pglite = new PipelinedPglite({
      ...(directory ? { dataDir: directory, fs: flushing ?? new CrashingNodeFs(directory) } : {}),
      startParams: [
        ...(flushing ? FlushingNodeFs.startParams : PGlite.defaultStartParams),
        ...LOG_SETTINGS,
        ...CACHE_SETTINGS,
      ],
      ...(dump ? { loadDataDir: dump } : {}),
      extensions: { pg_trgm },
      parsers: { ...parsers, [types.BYTEA]: (hex) => Buffer.from(hex.slice(2), "hex") },
    });
    await pglite.waitReady;
    return pglite;
  });
  await flushing?.flushAll();
  for (const [name, value] of Object.entries(PGLITE_SETTINGS)) {
    await pglite.query("select set_config($1, $2, false)", [name, value]);
  }
  return pglite;
}
