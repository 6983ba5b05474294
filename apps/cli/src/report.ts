import type { Hub } from "./ask-hub.ts";

/**
 * The output of a command: `text` for the operator, or the hub's response as `json` with `--json`.
 */
export interface Report {
  json: unknown;
  text: string;
  exitCode?: number;
}

export type HubCommand = (hub: Hub) => Promise<Report>;
