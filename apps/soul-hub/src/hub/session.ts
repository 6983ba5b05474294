import type { Report as ProgramReport } from "@soul-hub/program";
import type { Config, Target } from "../config.ts";
import type { Environment } from "../env.ts";
import type { Line, Terminal } from "../terminal/terminal.ts";
import { type Hub, withHub } from "./hub.ts";

/** What a command knows beside its arguments. */
export interface Session {
  env: Environment;
  config: Config | null;
  /** The hub of the command. */
  target: Target;
  terminal: Terminal;
  /** True with `--json`. */
  isJson: boolean;
}

export type Report = ProgramReport<Line>;
export type Command = (session: Session) => Promise<Report>;

/** A command that calls the hub. */
export const onHub =
  (command: (hub: Hub, session: Session) => Promise<Report>): Command =>
  (session) =>
    withHub(session.target, (hub) => command(hub, session));
