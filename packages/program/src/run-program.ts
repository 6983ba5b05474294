import { CommanderError, type CommandUnknownOpts } from "@commander-js/extra-typings";

const WRONG_ARGUMENTS = 2;

interface Actions<Task> {
  /** Performs the command of the arguments, prints its report and returns the exit code. */
  perform(task: Task, isJson: boolean): Promise<number>;
  /** Prints the error of a command, and returns the exit code. Throws an error of the program. */
  fail(error: unknown, isJson: boolean): number;
}

/**
 * Runs one command line, such as `["show", "7", "--json"]`, and returns the exit code. Without
 * arguments it prints the help text.
 * @param createProgram describes the commands; the action of each calls `run` with its task
 */
export async function runProgram<Task>(
  args: readonly string[],
  createProgram: (run: (task: Task) => Promise<void>) => CommandUnknownOpts,
  { perform, fail }: Actions<Task>,
): Promise<number> {
  let exitCode = 0;
  const isJson = () => program.opts().json === true;
  const program = createProgram(async (task) => {
    exitCode = await perform(task, isJson());
  });
  try {
    if (args.length === 0) program.outputHelp();
    else await program.parseAsync(args, { from: "user" });
    return exitCode;
  } catch (error) {
    // Commander has already printed its error or the help text.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : WRONG_ARGUMENTS;
    return fail(error, isJson());
  }
}
