import { sql } from "kysely";
import type { Logger } from "pino";
import type { Hub } from "../../context.ts";
import { callForRow, callFunction } from "../../db/sql-functions.ts";
import { memoryLimit } from "../../embedding/memory-limit.ts";
import { embedAll } from "../../embedding/questions.ts";
import { bitsOf } from "../../embedding/vectors.ts";
import { sha256 } from "../packages/packages.queries.ts";
import { embeddedText } from "./embedded-text.ts";
import type { Embedding } from "./embedding.ts";

declare module "../../context.ts" {
  interface Hub {
    searchUpkeep: SearchUpkeep;
  }
}

/** Texts per call of the model, with and without 2 GiB of memory. */
const BATCH = 32;
const SMALL_BATCH = 8;
const SMALL_MEMORY = 2 * 2 ** 30;
/** Souls that one statement notes. Until its end, their authors' changes wait. */
const FILLED_AT_ONCE = 200;
/** After a failure of the model, the next attempt waits, each time twice as long. */
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 60_000;
/** The rows are counted this often, and while there is work. */
const COUNT_EVERY_MS = 60_000;
const COUNT_AT_WORK_MS = 10_000;

/** The state of the search by meaning, at GET /healthz. */
export interface FoundState {
  model: string | null;
  dimensions: number | null;
  /** The number of souls with a vector, at the last count. */
  embedded: number;
  waiting: number;
  state: "ready" | "filling" | "off";
  reason: string | null;
}

interface SearchUpkeepOptions
  extends Pick<Hub, "database" | "embedding" | "maintenance" | "metrics"> {
  log: Logger;
  isPaused(): boolean;
}

/** Keeps the words and vectors by which souls are found (0079). `run` is called every 2 s. */
export class SearchUpkeep {
  readonly #hub: SearchUpkeepOptions;
  readonly #batch = memoryLimit() < SMALL_MEMORY ? SMALL_BATCH : BATCH;
  #isRunning = false;
  #hasBegun = false;
  #isFilled = false;
  /** True if vectors of other models may exist. */
  #hasOthers = false;
  #restsUntil = 0;
  #pauseMs = 0;
  /** Souls whose text alone made the model fail. The others do not wait for them. */
  readonly #passed = new Set<number>();
  #counts = { embedded: 0, waiting: 0, at: Number.NEGATIVE_INFINITY };

  constructor(options: SearchUpkeepOptions) {
    this.#hub = options;
  }

  get state(): FoundState {
    const { embedding } = this.#hub;
    const { embedded, waiting } = this.#counts;
    if (!embedding) {
      const nothing = { model: null, dimensions: null, embedded: 0, waiting: 0 };
      return { ...nothing, state: "off", reason: "SEARCH_MODEL=off" };
    }
    const { id, dimensions, state, reason } = embedding.model;
    const isDone = this.#isFilled && waiting === 0;
    return {
      model: id,
      dimensions,
      embedded,
      waiting,
      state: state === "off" ? "off" : isDone ? "ready" : "filling",
      reason,
    };
  }

  /** Does what is due. Does nothing while it runs. */
  async run(): Promise<void> {
    if (this.#isRunning || this.#hub.isPaused()) return;
    this.#isRunning = true;
    try {
      if (!this.#hasBegun) await this.#begin();
      let hasWorked = false;
      let hasEmbedded: boolean;
      if (!this.#isFilled) {
        hasWorked = await this.#repeat("fill_soul_search", { most: FILLED_AT_ONCE });
        this.#isFilled = !this.#hub.isPaused();
      }
      do {
        hasWorked = (await this.#repeat("settle_soul_terms", {})) || hasWorked;
        const age = performance.now() - this.#counts.at;
        if (age > (hasWorked ? COUNT_AT_WORK_MS : COUNT_EVERY_MS)) await this.#count();
        hasEmbedded = await this.#embedWaiting();
        hasWorked ||= hasEmbedded;
      } while (hasEmbedded);
      if (hasWorked) await this.#count();
    } finally {
      this.#isRunning = false;
    }
  }

  /** The server that started last decides on the model, unless its model can't run. */
  async #begin(): Promise<void> {
    const { embedding } = this.#hub;
    if (embedding?.model.state !== "off") {
      const key = embedding?.key ?? null;
      const { numAffectedRows = 0n } = await this.#write(() =>
        sql`update vector_model set model = ${key}::text, filled_to = 0
          where model is distinct from ${key}::text`.execute(this.#hub.database.db),
      );
      this.#hasOthers = numAffectedRows > 0n;
    }
    this.#hasBegun = true;
  }

  /** Calls an SQL function that returns the number of rows it did, until none is left. */
  async #repeat(name: string, args: Record<string, unknown>): Promise<boolean> {
    const { db } = this.#hub.database;
    for (let times = 0; ; times++) {
      if (this.#hub.isPaused()) return times > 0;
      const row = await this.#write(() => callForRow<Record<string, number>>(db, name, args));
      if (!row[name]) return times > 0;
    }
  }

  /** Embeds the next souls. Returns false if none wait, or the model rests after a failure. */
  async #embedWaiting(): Promise<boolean> {
    const { embedding, isPaused } = this.#hub;
    if (!embedding) return this.#dropOthers();
    if (embedding.model.state === "off" || isPaused()) return false;
    if (performance.now() < this.#restsUntil) return false;
    const souls = await this.#take(embedding);
    if (souls.length === 0) {
      this.#passed.clear();
      return this.#dropOthers();
    }
    await this.#embed(embedding, souls);
    return true;
  }

  async #dropOthers(): Promise<boolean> {
    const { embedding } = this.#hub;
    if (!this.#hasOthers) return false;
    const args = { of_model: embedding?.key ?? null, most: FILLED_AT_ONCE };
    const hasDropped = await this.#repeat("drop_other_vectors", args);
    this.#hasOthers = false;
    return hasDropped;
  }

  #take({ key }: Embedding): Promise<WaitingSoul[]> {
    // After a failure, one text at a time shows which one the model can't embed.
    const most = this.#pauseMs > 0 ? 1 : this.#batch;
    const args = { of_model: key, most, passed: [...this.#passed] };
    const { db } = this.#hub.database;
    return this.#write(() => callFunction<WaitingSoul>(db, "take_waiting_souls", args));
  }

  async #embed({ model, key }: Embedding, souls: WaitingSoul[]): Promise<void> {
    const { metrics, log } = this.#hub;
    const texts = souls.map(embeddedText);
    let vectors: Int8Array[];
    try {
      vectors = await embedAll(model, texts);
    } catch (err) {
      metrics.embeddings.inc({ outcome: "failed" }, souls.length);
      log.warn({ err, souls: souls.length }, "souls could not be embedded");
      const [only] = souls;
      if (souls.length === 1 && only) this.#passed.add(only.id);
      this.#pauseMs = Math.min(MAX_PAUSE_MS, 2 * this.#pauseMs || FIRST_PAUSE_MS);
      this.#restsUntil = performance.now() + this.#pauseMs;
      return;
    }
    this.#pauseMs = 0;
    metrics.embeddings.inc({ outcome: "ok" }, souls.length);
    // A soul that has changed since it was taken waits again, and this vector is not stored.
    await this.#write(() =>
      sql`
        with given as (
          select * from unnest(${souls.map(({ id }) => id)}::bigint[],
            ${souls.map(({ taken }) => taken)}::timestamptz[], ${texts.map(sha256)}::text[],
            ${vectors.map(bitsOf)}::text[],
            ${vectors.map((vector) => Buffer.from(vector).toString("hex"))}::text[])
            as given (soul_id, taken_at, hash, bits, vector)),
        kept as (
          select soul_id from soul_vectors join given using (soul_id, taken_at)
          where model = ${key} for update of soul_vectors skip locked)
        update soul_vectors as stored set text_hash = given.hash, bits = given.bits::varbit,
          vector = decode(given.vector, 'hex'), taken_at = null
        from given join kept using (soul_id)
        where stored.soul_id = given.soul_id and stored.model = ${key}`.execute(
        this.#hub.database.db,
      ),
    );
  }

  async #count(): Promise<void> {
    const key = this.#hub.embedding?.key ?? "";
    const { rows } = await sql<{ all: number; waiting: number }>`
      select (select count(*) from soul_vectors where model = ${key}) as "all",
        (select count(*) from soul_vectors where model = ${key} and vector is null) as waiting
    `.execute(this.#hub.database.db);
    const { all = 0, waiting = 0 } = rows[0] ?? {};
    this.#counts = { embedded: all - waiting, waiting, at: performance.now() };
  }

  #write<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#hub.maintenance.write(work);
  }
}

interface WaitingSoul {
  id: number;
  /** Names this attempt: a later change of the soul removes it. */
  taken: string;
  title: string;
  description: string;
  role: string;
  domain: string;
  content: string;
}
