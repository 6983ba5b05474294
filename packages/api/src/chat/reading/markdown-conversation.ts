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

/** A line that may follow the head of a table, where a `|` ends its cell before a code span counts. */
const TABLE_RULE = /^(?=.*-)\P{L}*$/u;

/** What the lines since the last blank one leave open. */
interface OpenSigns {
  /** True if a code span may begin there and end below. */
  span: boolean;
  /** True if the name of a link may begin there and end below. */
  name: boolean;
}

/** Quotes a message. Code in a fenced block or a code span stays as it is. */
function quote(text: string): string {
  /** The fence of the code block around the line. */
  let fence = "";
  let open: OpenSigns = { span: false, name: false };
  const lines = text.split(LINE_BREAK).map((line) => line.replace(CONTROLS, ""));
  const hasTable = lines.some((line) => TABLE_RULE.test(line));
  let isUnsure = false;
  const quoted = lines.map((line) => {
    // Some programs see the head of a table where others see a fence. No later line is sure code.
    isUnsure ||= fence === "" && hasTable && FENCE.test(line) && line.includes("|");
    if (isUnsure) return escapeSigns(line);
    if (fence !== "") {
      const [, closing = ""] = /^ {0,3}(`+|~+)[ \t]*$/.exec(line) ?? [];
      if (closing.startsWith(fence)) fence = "";
      return line;
    }
    fence = FENCE.exec(line)?.[1] ?? "";
    if (fence !== "" || line.trim() === "") open = { span: false, name: false };
    return fence === "" ? escapeReach(line, open, hasTable) : line;
  });
  return quoted.map((line) => `> ${line}`.trimEnd()).join("\n");
}

/**
 * Signs outside of code: an escaped one, a code span or the backticks of none, `<` of a tag, the
 * beginning and the end of a name, the beginning of an address, and a link whose address has more
 * than plain characters.
 */
const SIGNS =
  /\\[\\`]|(`+)(?:.*?[^`]\1(?!`))?|<(?=[A-Za-z/!?])|\[|\]:|\/\/|www\.|\]\((?![^\s()<"'`]*\))/gi;
/** A code span that would end the name of a link, if one began before it. */
const ENDS_NAME = /^(?:[^[\]\\]|\\.)*\]:/;

/**
 * Escapes the Markdown that has an effect beyond its quote. An HTML tag can end the quote. A link
 * reference definition (`[word]: address`) applies to the whole document, so it could turn words of
 * other messages into links. A code span stays as it is if it is one to every program: it ends on
 * its line, and no address, table or span of another line can have taken its backticks.
 */
function escapeReach(line: string, open: OpenSigns, hasTable: boolean): string {
  let isUnsure = open.span;
  let address = -1;
  return line.replace(SIGNS, (sign, ticks: string | undefined, at: number) => {
    if (ticks === undefined) {
      if (sign === "[") open.name = true;
      if (sign === "](") isUnsure = open.span = true;
      if (/^(?:\/\/|www\.)$/i.test(sign)) address = at;
      return escapeSigns(sign);
    }
    if (sign === ticks) {
      open.span = true;
      return sign;
    }
    const isInAddress = address >= 0 && !/\s/.test(line.slice(address, at));
    address = -1;
    if (isInAddress || (hasTable && sign.includes("|"))) isUnsure = open.span = true;
    return isUnsure || (open.name && ENDS_NAME.test(sign)) ? escapeSigns(sign) : sign;
  });
}

const escapeSigns = (text: string): string =>
  text.replace(/^<$|<(?=[A-Za-z/!?])/g, "&lt;").replaceAll("]:", "]\\:");

/** Writes a name or a title as one line of plain text. */
const inline = (text: string): string =>
  text
    .replace(CONTROLS, " ")
    .replace(/\s+/g, " ")
    .trim()
    .replace(/[\\`*_{}[\]>()#!|~&]/g, "\\$&")
    .replace(/</g, "&lt;");
