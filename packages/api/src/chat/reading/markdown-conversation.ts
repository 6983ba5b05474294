import type { RoomLine } from "../../rooms/room-events.ts";

/** Characters after which some program shows a new line. */
const LINE_BREAK = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/;
/** Control characters but tabs, and those that change the direction of the text around them. */
const CONTROLS = /(?!\t)[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;

/**
 * Writes a conversation as Markdown. Names and marks are outside quotes, and each line of a message is
 * inside one. A message can thus imitate neither another speaker nor a removed message (0042).
 */
export function toMarkdown(title: string, messages: readonly RoomLine[]): string {
  const parts = messages.map((line) =>
    line.removed ? `${heading(line)}\n` : `${heading(line)}\n\n${quote(line.content)}\n`,
  );
  return [`# ${inline(title)}\n`, ...parts].join("\n");
}

function heading(line: RoomLine): string {
  const { role, sender_name, audience, edited_at, made_by, imported, removed } = line;
  const editor = role === "assistant" && made_by?.edited_by;
  const marks = [
    ...(role === "assistant" ? ["soul"] : []),
    ...(audience === "people" ? ["off the record"] : []),
    ...(edited_at ? [editor ? `rewritten by ${inline(editor)}` : "edited"] : []),
    ...(imported ? ["imported"] : []),
    ...(removed ? ["removed"] : []),
  ];
  return [`**${inline(sender_name)}**`, ...marks.map((mark) => `(${mark})`)].join(" ");
}

/**
 * The first line of a fenced code block, as CommonMark defines it. An indented one may belong to a
 * list item, whose end would end the block.
 */
const FENCE = /^(`{3,}(?=[^`]*$)|~{3,})/;

/** Quotes a message. Code in a fenced block stays as it is. */
function quote(text: string): string {
  /** The fence of the code block around the line. */
  let fence = "";
  const lines = text.split(LINE_BREAK).map((given) => {
    const line = given.replace(CONTROLS, "");
    if (fence === "") {
      fence = FENCE.exec(line)?.[1] ?? "";
      return fence === "" ? escapeReach(line) : line;
    }
    const [, closing = ""] = /^ {0,3}(`+|~+)[ \t]*$/.exec(line) ?? [];
    if (closing.startsWith(fence)) fence = "";
    return line;
  });
  return lines.map((line) => `> ${line}`.trimEnd()).join("\n");
}

/**
 * Escapes the Markdown that has an effect beyond its quote. An HTML tag can end the quote. A link
 * reference definition (`[word]: address`) applies to the whole document, so it could turn words of
 * other messages into links.
 */
const escapeReach = (line: string): string =>
  line.replace(/<(?=[A-Za-z/!?])/g, "&lt;").replaceAll("]:", "]\\:");

/** Writes a name or a title as one line of plain text. */
const inline = (text: string): string =>
  text
    .replace(CONTROLS, " ")
    .replace(/\s+/g, " ")
    .trim()
    .replace(/[\\`*_{}[\]>()#!|~&]/g, "\\$&")
    .replace(/</g, "&lt;");
