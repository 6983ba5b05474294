import { setTimeout as sleep } from "node:timers/promises";
import type { Answer } from "@soul-hub/api/testing";
import { ok } from "../processes/member.ts";
import type { Table } from "../runner/measure.ts";
import { spreadOf } from "../runner/quantile.ts";
import type { Stage } from "../runner/stage.ts";

const FAILED_MS = 50;

/** Calls of several kinds, repeated until `end`. Their times are kept by phase, or by kind. */
export class RepeatedCalls {
  /** Responses other than 200, and failed connections. */
  readonly faults: string[] = [];
  readonly #times = new Map<string, number[]>();
  readonly #loops: Promise<void>[] = [];
  #phase = "";
  #isOver = false;

  /** The calls end with the stage, if a scenario fails before `end`. */
  constructor(stage: Stage) {
    stage.onEnd(() => {
      this.#isOver = true;
    });
  }

  /** Begins a phase. The times of later calls belong to it. */
  begin(phase: string): void {
    this.#phase = phase;
  }

  /**
   * Starts to repeat one kind of call. Each call waits for the response of the one before.
   * @param kind the row of its times, instead of the phase
   */
  repeat(pauseMs: number, call: (nth: number) => Promise<Answer>, kind?: string): void {
    const loop = async () => {
      for (let nth = 0; !this.#isOver; nth++) {
        const row = kind ?? this.#phase;
        const start = performance.now();
        await ok(call(nth)).catch(async (error: Error) => {
          this.faults.push(`${row}: ${error.message} ${error.cause ?? ""}`);
          // Calls that fail at once would form a busy loop.
          await sleep(FAILED_MS);
        });
        const times = this.#times.get(row) ?? [];
        this.#times.set(row, times);
        times.push(performance.now() - start);
        await sleep(pauseMs);
      }
    };
    this.#loops.push(loop());
  }

  /** Resolves when all running calls have ended. */
  async end(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#loops);
  }

  table(): Table {
    const rows = [...this.#times].map(
      ([name, ms]) => [name, { calls: ms.length, ...spreadOf(ms) }] as const,
    );
    return new Map(rows);
  }
}
