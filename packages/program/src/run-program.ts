import {
  Command,
  CommanderError,
  Option,
  type OutputConfiguration,
} from "@commander-js/extra-typings";
import type { Failure } from "./failure.ts";

const WRONG_ARGUMENTS = 2;

/** The output of a command. Without `json` and `lines`, the command has written it itself. */
export interface Report<Line = string> {
  /** The output with `--json`. */
  json?: unknown;
  /** The output for people. */
  lines?: readonly Line[];
  /** Remarks for people, on stderr. */
  notes?: readonly Line[];
  exitCode?: number;
}

/** The terminal of a program, whose lines may have styles. */
export interface Printer<Line = string> {
  print(line: Line): void;
  /** Prints to stderr. */
  note(line: Line | string): void;
  toJson(value: unknown, indent?: number): string;
  /** The writers of Commander's own texts, by default those of the process. */
  commander?: OutputConfiguration;
}

interface ProgramTexts {
  name: string;
  version?: string;
  description: string;
  /** The help of `--json`. */
  json: string;
  afterHelp: string;
}

interface Actions<Task, Line> {
  /** Adds the commands. The action of each calls `run` with its task. */
  addCommands(program: Program, run: (task: Task) => Promise<void>): void;
  perform(task: Task, isJson: boolean): Promise<Report<Line>>;
  /** Returns the failure to report, or the exit code of an error without one. */
  explain(error: unknown): Failure | number;
}

/**
 * Runs one command line, such as `["show", "7", "--json"]`, and returns the exit code. Without
 * arguments it prints the help text.
 */
export async function runProgram<Task, Line>(
  args: readonly string[],
  printer: Printer<Line | string>,
  texts: ProgramTexts,
  { addCommands, perform, explain }: Actions<Task, Line>,
): Promise<number> {
  const program = createProgram(texts, printer.commander);
  const isJson = () => program.opts().json === true;
  let exitCode = 0;
  addCommands(program, async (task) => {
    const { json, lines = [], notes = [], ...report } = await perform(task, isJson());
    if (isJson() && json !== undefined) printer.print(printer.toJson(json, 2));
    else for (const line of lines) printer.print(line);
    for (const note of notes) printer.note(note);
    exitCode = report.exitCode ?? 0;
  });
  try {
    if (args.length === 0) program.outputHelp();
    else await program.parseAsync(args, { from: "user" });
    return exitCode;
  } catch (error) {
    // Commander has already printed its error or the help text.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : WRONG_ARGUMENTS;
    const failure = explain(error);
    if (typeof failure === "number") return failure;
    const { code, message } = failure;
    printer.note(isJson() ? printer.toJson({ success: false, error: code, message }) : message);
    return failure.exitCode;
  }
}

export type Program = ReturnType<typeof createProgram>;

function createProgram(texts: ProgramTexts, output: OutputConfiguration = {}) {
  const program = new Command(texts.name)
    // Subcommands inherit `exitOverride` and `configureOutput` only if they are added after these
    // calls. Without `exitOverride`, Commander ends the process on an error.
    .exitOverride()
    .configureOutput(output)
    .description(texts.description);
  if (texts.version !== undefined) program.version(texts.version);
  return program
    .addOption(new Option("--json", texts.json))
    .configureHelp({ showGlobalOptions: true })
    .helpCommand(false)
    .addHelpText("after", texts.afterHelp);
}
