import { inspect } from "node:util";
import { Failure, runProgram } from "@soul-hub/program";
import { FormatError } from "@soul-hub/soul-formats";
import { readConfig, targetOf } from "./config.ts";
import { readEnvironment } from "./env.ts";
import type { Command } from "./hub/session.ts";
import { INTERRUPTED, Interrupted } from "./interrupted.ts";
import { createProgram } from "./program.ts";
import { asJson } from "./terminal/foreign-text.ts";
import { Terminal } from "./terminal/terminal.ts";

const UNFORESEEN = 1;

/** Runs one command line, such as `["show", "7", "--json"]`, and returns the exit code. */
export function runCli(args: readonly string[], io: NodeJS.Process): Promise<number> {
  const env = readEnvironment();
  const terminal = new Terminal(io, env.mayColor);
  return runProgram<Command>(args, createProgram, {
    async perform(command, isJson) {
      const config = await readConfig(env);
      const session = { env, config, target: targetOf(env, config), terminal, isJson };
      const { json, lines = [], notes = [], exitCode = 0 } = await command(session);
      if (isJson && json !== undefined) terminal.json(json, 2);
      else for (const line of lines) terminal.print(line);
      for (const note of notes) terminal.note(note);
      return exitCode;
    },
    fail(error, isJson) {
      if (error instanceof Interrupted) return INTERRUPTED;
      const failure = asFailure(error);
      // The trace of a fault of the tool may quote texts of others.
      if (!failure) terminal.note(inspect(error, { colors: false }));
      if (!failure) return UNFORESEEN;
      const { code, message, exitCode } = failure;
      terminal.note(isJson ? asJson({ success: false, error: code, message }) : message);
      return exitCode;
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
