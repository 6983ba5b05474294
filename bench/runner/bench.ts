import type { Table } from "./measure.ts";
import type { Stage } from "./stage.ts";

/** A benchmark: a table of scenarios. */
export interface Bench {
  scenarios: Scenario[];
  /**
   * True if a measurement gives each scenario new processes and databases. Otherwise scenarios share
   * them with `Stage.share`, as they always do in `pnpm bench smoke`.
   */
  isolates?: boolean;
}

/** A row of a benchmark. */
export interface Scenario {
  /** The name of the row. Arguments of `pnpm bench` select rows by parts of it. */
  name: string;
  /** Seconds after which the scenario is aborted. */
  atMostSeconds: number;
  /** True if `pnpm bench smoke` leaves the scenario out. */
  isLong?: boolean;
  /** @throws Error if a contender gives a wrong response, or loses or repeats an event */
  run(stage: Stage): Promise<Result>;
}

export interface Result {
  table: Table;
  /** Goals of speed and size, which `pnpm bench smoke` ignores. */
  goals?: Goal[];
  /** Errors that an end-to-end check found: lost messages, failed calls. Their goal is 0. */
  faults?: string[];
  notes?: string[];
}

export interface Goal {
  goal: string;
  measured: string;
  isReached: boolean;
}

/** A contender under this name is the hub. */
export const HUB = "Soul Hub";
