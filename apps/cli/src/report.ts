import type { Report } from "@soul-hub/program";
import { askHub, type Hub } from "./ask-hub.ts";
import type { Environment } from "./env.ts";
import { findHub } from "./find-hub.ts";

/**
 * A command of the tool.
 * @param note tells people on stderr why the command takes long
 */
export type Command = (env: Environment, note: (line: string) => void) => Promise<Report>;

/** A command that calls the running hub. */
export type HubCommand = (hub: Hub) => Promise<Report>;

/** Reports the message of the hub's response. */
export const saying = (answer: { message: string }): Report => ({
  json: answer,
  lines: [answer.message],
});

export const onHub =
  (command: HubCommand): Command =>
  async (env) =>
    askHub(await findHub(env), command);
