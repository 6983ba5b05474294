import { CommanderError } from "@commander-js/extra-typings";
import { CommandFailure } from "./command-failure.ts";
import { readEnvironment } from "./env.ts";
import { createProgram, type Output } from "./program.ts";

const WRONG_ARGUMENTS = 2;

/**
 * Runs one command line, such as `["show", "ada", "--json"]`, and returns the exit code.
 * Without arguments it prints the help text.
 * @param env the environment variables; by default those of the process
 * @param name the command that runs the tool
 */
export async function runCli(
  args: readonly string[],
  output: Output,
  { env, name = "pnpm hub" }: { env?: NodeJS.ProcessEnv; name?: string } = {},
): Promise<number> {
  let reportedCode = 0;
  const program = createProgram(
    output,
    async (command) => {
      const { json, text, exitCode = 0 } = await command(readEnvironment(env));
      if (text !== null) {
        output.stdout(`${program.opts().json ? JSON.stringify(json, null, 2) : text}\n`);
      }
      reportedCode = exitCode;
    },
    name,
  );
  try {
    if (args.length === 0) program.outputHelp();
    else await program.parseAsync(args, { from: "user" });
    return reportedCode;
  } catch (error) {
    // Commander has already printed its error or the help text.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : WRONG_ARGUMENTS;
    if (!(error instanceof CommandFailure)) throw error;
    const { code, message, exitCode } = error;
    const json = JSON.stringify({ success: false, error: code, message });
    output.stderr(`${program.opts().json ? json : message}\n`);
    return exitCode;
  }
}
