import { Failure, guardStdout, runProgram } from "@soul-hub/program";
import { readEnvironment } from "./env.ts";
import { addCommands, textsOf } from "./program.ts";
import type { Command } from "./report.ts";

/**
 * The output of the command line tool. Each function receives the printed text, line breaks
 * included.
 */
interface Output {
  stdout(text: string): void;
  stderr(text: string): void;
}

/**
 * Runs one command line, such as `["show", "ada", "--json"]`, and returns the exit code.
 * @param env the environment variables; by default those of the process
 * @param name the command that runs the tool
 */
export const runCli = (
  args: readonly string[],
  { stdout, stderr }: Output,
  { env, name = "npx -y pnpm@12 hub" }: { env?: NodeJS.ProcessEnv; name?: string | undefined } = {},
): Promise<number> => {
  const printer = {
    print: (line: string) => stdout(`${line}\n`),
    note: (line: string) => stderr(`${line}\n`),
    toJson: (value: unknown, indent?: number) => JSON.stringify(value, null, indent),
    commander: { writeOut: stdout, writeErr: stderr },
  };
  return runProgram<Command, string>(args, printer, textsOf(name), {
    addCommands,
    perform: (command) => command(readEnvironment(env), printer.note),
    explain(error) {
      if (error instanceof Failure) return error;
      throw error;
    },
  });
};

/**
 * Runs one command line on the output of this process.
 * @param intro a text before the output
 */
export function runOnProcess(
  args: readonly string[],
  { name, intro = "" }: { name?: string; intro?: string } = {},
): Promise<number> {
  guardStdout();
  const stdout = (text: string) => process.stdout.write(text);
  const stderr = (text: string) => process.stderr.write(text);
  stdout(intro);
  return runCli(args, { stdout, stderr }, { name });
}
