/**
 * Characters that can move a terminal's cursor, change its state or reorder its text: C0 but line
 * break and tab, DEL, C1, and the bidirectional controls of Unicode.
 */
const CONTROLS = /(?![\n\t])\p{Cc}|\p{Bidi_Control}/gu;

/** Takes the controls from a text that the hub, a file or a person wrote. */
export const withoutControls = (text: string): string => text.replace(CONTROLS, "");

/** The text as one line of a table or a message. */
export const asOneLine = (text: string): string =>
  withoutControls(text.replace(/\s+/g, " ")).trim();

/** Writes JSON without a control: escaped, so that a program still reads the same text. */
export const asJson = (value: unknown, indent?: number): string =>
  JSON.stringify(value, null, indent).replace(
    CONTROLS,
    (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
