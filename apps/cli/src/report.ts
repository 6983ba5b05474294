import { askHub, type Hub } from "./ask-hub.ts";
import type { Environment } from "./env.ts";
import { findHub } from "./find-hub.ts";

/**
 * The output of a command: `text` for the operator, or the hub's response as `json` with `--json`.
 * With `null`, the command has used stdout itself.
 */
export interface Report {
  json: unknown;
  text: string | null;
  exitCode?: number;
}

/** A command of the tool. */
export type Command = (env: Environment) => Promise<Report>;

/** A command that calls the running hub. */
export type HubCommand = (hub: Hub) => Promise<Report>;

export const onHub =
  (command: HubCommand): Command =>
  async (env) =>
    askHub(await findHub(env), command);
