import { sql } from "kysely";
import type { Logger } from "pino";
import type { Hub } from "../../context.ts";
import { callForRow, callFunction } from "../../db/sql-functions.ts";
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

/** Texts per call of the model. */
const BATCH = 32;
/** Souls that one statement notes. Until its end, their authors' changes wait. */
const FILLED_AT_ONCE = 200;
/** Changes whose words one statement takes over. */
const SETTLED_AT_ONCE = 20;
/** While souls are embedded, the waiting ones are counted this often. */
const LOOK_EVERY_MS = 1_000;
const RECONCILE_EVERY_MS = 3_600_000;
/** After a failure of the model, the next attempt waits, each time twice as long. */
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 60_000;
/** While souls are embedded, all vectors are counted this often. */
const COUNT_EVERY_MS = 10_000;

interface SearchUpkeepOptions
  extends Pick<Hub, "database" | "embedding" | "maintenance" | "metrics"> {
  log: Logger;
  isPaused(): boolean;
}

/** Keeps the words and vectors by which souls are found (0079). `run` is called every 5 s. */
export class SearchUpkeep {
  readonly #hub: SearchUpkeepOptions;
  #isRunning = false;
  #hasBegun = false;
  #isFilled = false;
  #reconciledAt = Number.NEGATIVE_INFINITY;
  /** True if words may have changed. */
  #hasWords = false;
  #lookedAt = Number.NEGATIVE_INFINITY;
  /** True if vectors of other models may exist. */
  #hasOthers = false;
  #restsUntil = 0;
  #pauseMs = 0;
  /** The number of souls without a vector; -1 before it is known. */
  #waiting = -1;
  #embedded = 0;
  /** True if souls were embedded since the count. */
  #isCountOld = false;
  #countedAt = Number.NEGATIVE_INFINITY;

  constructor(options: SearchUpkeepOptions) {
    this.#hub = options;
  }

  /** The state of the search by meaning, at GET /healthz. The numbers are those of the last run. */
  get state() {
    const model = this.#hub.embedding?.model;
    const isDone = this.#isFilled && this.#waiting === 0;
    return {
      model: model?.id ?? null,
      dimensions: model?.dimensions ?? null,
      embedded: this.#embedded,
      waiting: Math.max(0, this.#waiting),
      state: !model || model.state === "off" ? "off" : isDone ? "ready" : "filling",
      // GET /healthz is public: the log has the paths of the machine.
      reason: model ? (model.reason?.replaceAll(/\/\S*\//g, "") ?? null) : "SEARCH_MODEL=off",
    };
  }

  /** Runs all upkeep that is due. A call during a run does nothing. */
  async run(): Promise<void> {
    if (this.#isRunning || this.#hub.isPaused()) return;
    this.#isRunning = true;
    this.#lookedAt = Number.NEGATIVE_INFINITY;
    try {
      if (!this.#hasBegun) await this.#begin();
      if (!this.#isFilled) {
        this.#isFilled = await this.#repeat("fill_soul_search", { most: FILLED_AT_ONCE });
      }
      if (this.#isFilled && performance.now() - this.#reconciledAt > RECONCILE_EVERY_MS) {
        if (await this.#repeat("reconcile_soul_search", { most: FILLED_AT_ONCE }))
          this.#reconciledAt = performance.now();
      }
      while (await this.#work());
    } finally {
      this.#isRunning = false;
    }
  }

  /** The server that started last decides on the model, unless its model can't run. */
  async #begin(): Promise<void> {
    const { embedding, database, log } = this.#hub;
    if (embedding?.model.state === "off")
      log.warn({ reason: embedding.model.reason }, "no search by meaning");
    const key = embedding?.key ?? null;
    this.#hasOthers = embedding?.model.state !== "off";
    if (this.#hasOthers) {
      await this.#write(() =>
        sql`update vector_model set model = ${key}::text, filled_to = 0
          where model is distinct from ${key}::text`.execute(database.db),
      );
    }
    this.#hasBegun = true;
  }

  /** Embeds the next souls, then takes over a few words. Returns false if neither is left to do. */
  async #work(): Promise<boolean> {
    const { embedding, isPaused } = this.#hub;
    await this.#look();
    if (this.#waiting === 0 && this.#hasOthers) {
      const args = { of_model: embedding?.key ?? null, most: FILLED_AT_ONCE };
      await this.#repeat("drop_other_vectors", args);
      this.#hasOthers = isPaused();
    }
    const isResting = embedding?.model.state === "off" || performance.now() < this.#restsUntil;
    const mayEmbed = embedding && this.#waiting > 0 && !isPaused() && !isResting;
    const hasEmbedded = mayEmbed ? await this.#embed(embedding) : false;
    const hasSettled = this.#hasWords && !isPaused() && (await this.#settle());
    return hasEmbedded || hasSettled;
  }

  /** Takes over a few words. Returns false if none are left, or after a failure. */
  async #settle(): Promise<boolean> {
    const { database, log } = this.#hub;
    const args = { most: SETTLED_AT_ONCE };
    try {
      const { settle_soul_terms } = await this.#write(() =>
        callForRow<{ settle_soul_terms: number }>(database.db, "settle_soul_terms", args),
      );
      this.#hasWords = settle_soul_terms > 0;
    } catch (err) {
      log.warn({ err }, "words of souls could not be taken over for the search");
      this.#hasWords = false;
    }
    return this.#hasWords;
  }

  /** Counts the waiting souls. This is all that an idle hub does. */
  async #look(): Promise<void> {
    const isKnown = this.#waiting > 0 && performance.now() - this.#lookedAt < LOOK_EVERY_MS;
    if (isKnown) return;
    this.#lookedAt = performance.now();
    const { db } = this.#hub.database;
    const key = this.#hub.embedding?.key ?? "";
    const { rows } = await sql<{ has_words: boolean; waiting: number }>`
      select exists (select from soul_word_changes) as has_words,
        (select count(*) from soul_vectors where model = ${key} and vector is null) as waiting
    `.execute(db);
    const { has_words = false, waiting = 0 } = rows[0] ?? {};
    const isDue = waiting === 0 || performance.now() - this.#countedAt > COUNT_EVERY_MS;
    if ((this.#isCountOld || waiting !== this.#waiting) && isDue) {
      this.#countedAt = performance.now();
      this.#isCountOld = false;
      const counted = await sql<{ embedded: number }>`select count(*) as embedded from soul_vectors
        where model = ${key} and vector is not null`.execute(db);
      this.#embedded = counted.rows[0]?.embedded ?? 0;
    }
    this.#waiting = waiting;
    this.#hasWords = has_words;
  }

  /**
   * Calls an SQL function that returns the number of rows it did, until none is left.
   * @returns false if the upkeep was paused, or another server does this work
   */
  async #repeat(name: string, args: Record<string, unknown>): Promise<boolean> {
    const { db } = this.#hub.database;
    while (!this.#hub.isPaused()) {
      const row = await this.#write(() => callForRow<Record<string, number>>(db, name, args));
      if (!row[name]) return row[name] === 0;
    }
    return false;
  }

  /** Embeds the next souls. Returns false if the model fails, or other servers embed them. */
  async #embed({ model, key }: Embedding): Promise<boolean> {
    const { metrics, log, database } = this.#hub;
    // After a failure, one text at a time passes a text that the model can't embed.
    const args = { of_model: key, most: this.#pauseMs > 0 ? 1 : BATCH };
    const souls = await this.#write(() =>
      callFunction<WaitingSoul>(database.db, "take_waiting_souls", args),
    );
    if (souls.length === 0) return false;
    const texts = souls.map(embeddedText);
    let vectors: Int8Array[];
    try {
      vectors = await embedAll(model, texts);
    } catch (err) {
      metrics.embeddings.inc({ outcome: "failed" }, souls.length);
      log.warn({ err, souls: souls.length }, "souls could not be embedded");
      this.#pauseMs = Math.min(MAX_PAUSE_MS, 2 * this.#pauseMs || FIRST_PAUSE_MS);
      this.#restsUntil = performance.now() + this.#pauseMs;
      return false;
    }
    this.#pauseMs = 0;
    this.#waiting = Math.max(0, this.#waiting - souls.length);
    this.#isCountOld = true;
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
        where stored.soul_id = given.soul_id and stored.model = ${key}`.execute(database.db),
    );
    return true;
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
