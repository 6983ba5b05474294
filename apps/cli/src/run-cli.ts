import { Failure, runProgram } from "@soul-hub/program";
import { readEnvironment } from "./env.ts";
import { createProgram, type Output } from "./program.ts";
import type { Command } from "./report.ts";

/**
 * Runs one command line, such as `["show", "ada", "--json"]`, and returns the exit code.
 * @param env the environment variables; by default those of the process
 * @param name the command that runs the tool
 */
export const runCli = (
  args: readonly string[],
  output: Output,
  { env, name = "pnpm hub" }: { env?: NodeJS.ProcessEnv; name?: string } = {},
): Promise<number> =>
  runProgram<Command>(args, (run) => createProgram(output, run, name), {
    async perform(command, isJson) {
      const { json, text, exitCode = 0 } = await command(readEnvironment(env));
      if (text !== null) output.stdout(`${isJson ? JSON.stringify(json, null, 2) : text}\n`);
      return exitCode;
    },
    fail(error, isJson) {
      if (!(error instanceof Failure)) throw error;
      const { code, message, exitCode } = error;
      const json = JSON.stringify({ success: false, error: code, message });
      output.stderr(`${isJson ? json : message}\n`);
      return exitCode;
    },
  });
