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

/** A command that reports the message of the hub's response. */
export const saying =
  (call: (hub: Hub) => Promise<{ message: string }>): HubCommand =>
  async (hub) => {
    const answer = await call(hub);
    return { json: answer, text: answer.message };
  };

export const onHub =
  (command: HubCommand): Command =>
  async (env) =>
    askHub(await findHub(env), command);
