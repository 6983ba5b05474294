import { inspect } from "node:util";
import { Failure, runProgram } from "@soul-hub/program";
import { FormatError } from "@soul-hub/soul-formats";
import { readConfig, targetOf } from "./config.ts";
import { readEnvironment } from "./env.ts";
import type { Command } from "./hub/session.ts";
import { INTERRUPTED, Interrupted } from "./interrupted.ts";
import { addCommands, texts } from "./program.ts";
import { type Line, Terminal } from "./terminal/terminal.ts";

const UNFORESEEN = 1;

/** Runs one command line, such as `["show", "7", "--json"]`, and returns the exit code. */
export function runCli(args: readonly string[], io: NodeJS.Process): Promise<number> {
  const env = readEnvironment();
  const terminal = new Terminal(io, env.mayColor);
  return runProgram<Command, Line>(args, terminal, texts, {
    addCommands,
    async perform(command, isJson) {
      const config = await readConfig(env);
      return command({ env, config, target: targetOf(env, config), terminal, isJson });
    },
    explain(error) {
      if (error instanceof Interrupted) return INTERRUPTED;
      const failure = asFailure(error);
      // The trace of a fault of the tool may quote texts of others.
      if (!failure) terminal.note(inspect(error, { colors: false }));
      return failure ?? UNFORESEEN;
    },
  });
}

/** Undefined for an error that nothing foresaw. */
function asFailure(error: unknown): Failure | undefined {
  if (error instanceof Failure) return error;
  // The hub refuses such a file in the same words.
  if (error instanceof FormatError) {
    return new Failure("import_invalid", `${error.at || "The file"} ${error.message}.`);
  }
  const isFromSystem = error instanceof Error && "syscall" in error;
  return isFromSystem ? new Failure("unreadable_file", error.message) : undefined;
}
