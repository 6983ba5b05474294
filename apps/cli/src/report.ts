import type { Hub } from "./ask-hub.ts";

/** What a command has to say: to people as text, to machines (`--json`) as the hub answered it. */
export interface Report {
  json: unknown;
  text: string;
  exitCode?: number;
}

export type HubCommand = (hub: Hub) => Promise<Report>;
