import { inspect } from "node:util";
import { CommanderError } from "@commander-js/extra-typings";
import { FormatError } from "@soul-hub/soul-formats";
import { readConfig, targetOf } from "./config.ts";
import { readEnvironment } from "./env.ts";
import { Failure, INTERRUPTED, Interrupted } from "./failure.ts";
import type { Command } from "./hub/session.ts";
import { createProgram } from "./program.ts";
import { asJson } from "./terminal/foreign-text.ts";
import { Terminal } from "./terminal/terminal.ts";

const WRONG_ARGUMENTS = 2;
const UNFORESEEN = 1;

/** Runs one command line, such as `["show", "7", "--json"]`, and returns the exit code. */
export async function runCli(args: readonly string[], io: NodeJS.Process): Promise<number> {
  const env = readEnvironment();
  const terminal = new Terminal(io, env.mayColor);
  let exitCode = 0;
  const program = createProgram(async (command: Command) => {
    const isJson = program.opts().json === true;
    const config = await readConfig(env);
    const session = { env, config, target: targetOf(env, config), terminal, isJson };
    const { json, lines = [], notes = [], exitCode: reported = 0 } = await command(session);
    if (isJson && json !== undefined) terminal.json(json, 2);
    else for (const line of lines) terminal.print(line);
    for (const note of notes) terminal.note(note);
    exitCode = reported;
  });
  try {
    if (args.length === 0) program.outputHelp();
    else await program.parseAsync(args, { from: "user" });
    return exitCode;
  } catch (error) {
    // Commander has already printed its error or the help text.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : WRONG_ARGUMENTS;
    if (error instanceof Interrupted) return INTERRUPTED;
    const failure = asFailure(error);
    // The trace of a fault of the tool may quote texts of others.
    if (!failure) terminal.note(inspect(error, { colors: false }));
    if (!failure) return UNFORESEEN;
    const { code, message } = failure;
    const body = { success: false, error: code, message };
    terminal.note(program.opts().json ? asJson(body) : message);
    return failure.exitCode;
  }
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
