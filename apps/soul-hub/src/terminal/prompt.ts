import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { text as readAll } from "node:stream/consumers";
import { Failure } from "@soul-hub/program";
import { Interrupted } from "../interrupted.ts";
import type { Terminal } from "./terminal.ts";

/** The terminal's own stderr, for a line editor. It is silent while it is muted. */
export class PromptOutput extends Writable {
  isMuted = false;
  readonly #stderr: NodeJS.WriteStream;

  constructor(stderr: NodeJS.WriteStream) {
    super();
    this.#stderr = stderr;
  }

  /** The line editor wraps long input by it. */
  get columns(): number {
    return this.#stderr.columns;
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    if (!this.isMuted) this.#stderr.write(chunk);
    done();
  }
}

/**
 * Asks at the terminal. A secret is not echoed.
 * @throws Failure `no_terminal`; Interrupted
 */
export async function ask(
  { stdin, stderr }: Terminal,
  question: string,
  { isSecret = false } = {},
): Promise<string> {
  if (!stdin.isTTY) {
    throw new Failure("no_terminal", "This command asks for a password, which needs a terminal.");
  }
  const output = new PromptOutput(stderr);
  const reader = createInterface({ input: stdin, output, terminal: true });
  const interrupted = new AbortController();
  reader.once("SIGINT", () => interrupted.abort());
  reader.once("close", () => interrupted.abort());
  try {
    const answer = reader.question(question, { signal: interrupted.signal });
    output.isMuted = isSecret;
    return await answer;
  } catch (error) {
    if (interrupted.signal.aborted) throw new Interrupted();
    throw error;
  } finally {
    reader.close();
    if (isSecret || interrupted.signal.aborted) stderr.write("\n");
  }
}

export const readStdin = ({ stdin }: Terminal): Promise<string> => readAll(stdin);
