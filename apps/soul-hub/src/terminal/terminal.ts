import { styleText } from "node:util";
import type { Printer } from "@soul-hub/program";
import { INTERRUPTED } from "../interrupted.ts";
import { asJson, withoutControls } from "./foreign-text.ts";

type Style = "bold" | "dim" | "red" | "green" | "cyan";

/** A part of a line. Only the terminal turns a style into an escape sequence. */
type Part = string | { style: Style; text: string };
export type Line = Part | readonly Part[];

const styled =
  (style: Style) =>
  (text: string): Part => ({ style, text });
export const bold = styled("bold");
export const dim = styled("dim");
export const red = styled("red");
export const green = styled("green");
export const cyan = styled("cyan");

/**
 * The only way to stdout and stderr. Every text loses its controls here, so that no text of others
 * reaches the terminal as a command.
 */
export class Terminal implements Printer<Line> {
  readonly toJson = asJson;
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly #mayColor: boolean;
  /** What Ctrl-C does while no prompt reads the keys. */
  onInterrupt: () => void = () => process.exit(INTERRUPTED);

  constructor(io: NodeJS.Process, mayColor: boolean) {
    this.stdin = io.stdin;
    this.stdout = io.stdout;
    this.stderr = io.stderr;
    this.#mayColor = mayColor;
    io.on("SIGINT", () => this.onInterrupt());
  }

  /** Writes data, without a line break at its end. */
  write(line: Line): void {
    this.stdout.write(this.#render(line, this.stdout));
  }

  print(line: Line): void {
    this.write([...[line].flat(), "\n"]);
  }

  /** Prints a value as JSON, on one line. */
  json(value: unknown): void {
    this.print(this.toJson(value));
  }

  /** Tells people something beside the data. */
  note(line: Line): void {
    this.stderr.write(this.#render([...[line].flat(), "\n"], this.stderr));
  }

  #render(line: Line, stream: NodeJS.WriteStream): string {
    const colors = this.#mayColor && stream.isTTY;
    return [line]
      .flat()
      .map((part) => {
        if (typeof part === "string") return withoutControls(part);
        const text = withoutControls(part.text);
        return colors ? styleText(part.style, text, { validateStream: false }) : text;
      })
      .join("");
  }
}
