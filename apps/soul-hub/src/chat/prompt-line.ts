import { clearScreenDown, createInterface, cursorTo, type Interface } from "node:readline";
import { INTERRUPTED } from "../interrupted.ts";
import { asOneLine } from "../terminal/foreign-text.ts";
import { PromptOutput } from "../terminal/prompt.ts";
import type { Line, Terminal } from "../terminal/terminal.ts";

interface PromptHandlers {
  /** A line was entered that is not blank. */
  onLine(text: string): void;
  /** A key was pressed that is not the end of a line. */
  onKey?(): void;
  /** Ctrl-C was pressed. Returns the last line that waits to be sent, which is then sent no more. */
  takeBack?(): string | undefined;
  /** Ctrl-C was pressed, and no line waits. Returns true if the handler cancelled a reply. */
  cancel(): boolean;
}

/**
 * The input line at the bottom of the screen. All other output is written above it. Keys pressed
 * while a reply streams appear in the line after the reply. Ctrl-C takes a waiting line back or
 * cancels a reply, Ctrl-C again leaves, Ctrl-D leaves at once.
 */
export class PromptLine {
  readonly #terminal: Terminal;
  readonly #output: PromptOutput;
  readonly #reader: Interface;
  readonly #left = new AbortController();
  #isClosed = false;
  #isWarned = false;
  /** Aborts when the person leaves. */
  readonly left = this.#left.signal;
  exitCode = 0;

  constructor(terminal: Terminal, handlers: PromptHandlers) {
    this.#terminal = terminal;
    this.#output = new PromptOutput(terminal.stderr);
    const input = terminal.stdin;
    this.#reader = createInterface({ input, output: this.#output, terminal: true, prompt: "> " });
    this.#reader.on("line", (text) => {
      this.#isWarned = false;
      if (text.trim() !== "") handlers.onLine(text);
      this.redraw();
    });
    this.#reader.on("SIGINT", () => {
      const taken = handlers.takeBack?.();
      if (taken !== undefined) {
        this.#reader.write(taken);
        return this.note("Taken back.");
      }
      const isCancelled = handlers.cancel();
      if (this.#isWarned) {
        this.exitCode = INTERRUPTED;
        return this.#left.abort();
      }
      this.#isWarned = true;
      this.note(isCancelled ? "Cancelled. Ctrl-C again leaves." : "Ctrl-C again leaves.");
    });
    this.#reader.once("close", () => {
      this.#isClosed = true;
      this.#left.abort();
    });
    input.on("keypress", (_text: string, key: { name?: string; ctrl?: boolean }) => {
      if (key.name !== "return" && !key.ctrl) handlers.onKey?.();
    });
  }

  /** Redraws the prompt and the typed text. */
  redraw(): void {
    if (!this.#isClosed && !this.#output.isMuted) this.#reader.prompt(true);
  }

  /** Prints whole lines, also while a text is being written. */
  print(line: Line): void {
    this.#above(() => this.#terminal.print(line));
  }

  note(line: Line): void {
    this.#above(() => this.#terminal.note(line));
  }

  /** Begins the one text that is written piece by piece, without the prompt. */
  begin(head: Line): void {
    this.#clear();
    this.#output.isMuted = true;
    this.#terminal.write(head);
  }

  write(text: string): void {
    this.#terminal.write(text);
  }

  end(): void {
    this.#terminal.write("\n");
    this.#output.isMuted = false;
    this.redraw();
  }

  /** Shows the names of the people who are typing. */
  setTyping(names: readonly string[]): void {
    const who = names.map(asOneLine).join(", ");
    this.#reader.setPrompt(who === "" ? "> " : `${who}: … > `);
    this.redraw();
  }

  close(): void {
    this.#clear();
    this.#output.isMuted = true;
    this.#reader.close();
  }

  #above(write: () => void): void {
    // A line in the midst of a reply begins on a line of its own.
    if (this.#output.isMuted) this.#terminal.write("\n");
    else this.#clear();
    write();
    this.redraw();
  }

  #clear(): void {
    if (this.#isClosed || this.#output.isMuted) return;
    cursorTo(this.#output, 0);
    clearScreenDown(this.#output);
  }
}
