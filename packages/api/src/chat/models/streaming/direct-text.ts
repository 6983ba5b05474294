/**
 * The delta of an event with a piece of text, as OpenAI's chat completions and Anthropic's messages
 * stream it: up to the text, the text as JSON escapes it, and the rest. The delta has no other content.
 * The patterns are sticky and used one after the other, so that hostile input takes linear time.
 */
const BEGINNING =
  /"delta": ?\{(?:(?:"role": ?"\w+"|"\w+": ?null), ?)*(?:"content"|"type": ?"text_delta", ?"text"): ?"/y;
const TEXT = /[^"\\]+(?:\\.[^"\\]*)*|(?:\\.[^"\\]*)+/sy;
const END = /"(?:, ?"\w+": ?(?:null|\[\]))*\}/y;
/** An event of another form that may contain text of the reply. */
const OTHER_TEXT = /"(?:content|refusal|text)": ?(?:\[(?!\])|"(?!"))/;
/** An event after which the package reads the whole stream. */
const LAST_EVENT = /"error"|\[DONE\]/;
/** The lines of an event up to its delta. Other lines, such as comments, are left to the package. */
const FIELDS = /^(?:event:[^\r\n]*(?:\r\n|\r|\n))?data:[^\r\n]*$/;
/** A choice other than the first. Anthropic's index is of a block of the reply. */
const OTHER_CHOICE = /"index": ?[1-9]/;
const EVENT_END = /(\r\n\r\n|\n\r?\n|\r\r)/;
/** The text of an event whose own text takes the direct way. ReplyText drops it. */
const NO_TEXT = String.raw`\u0000`;
/** The longest event in UTF-16 code units that is held until its end has arrived. */
const MAX_HELD = 4_096;

type OnText = (text: string) => void;

const receivers = new WeakMap<AbortSignal, OnText>();

/**
 * Gives the text of the next response with this signal to `onText`, once per read, and not to the
 * provider's package. All that the package reads after a text also follows it here.
 */
export const receiveText = (signal: AbortSignal, onText: OnText) => receivers.set(signal, onText);

/**
 * Returns a `fetch` that takes the text out of an event stream which {@link receiveText} expects. A
 * provider's package spends ten times as long on an event. The package still reads every other event,
 * and the first of several events that differ in their text alone.
 */
export function directText(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    const { body, status, headers } = response;
    const onText = init?.signal && receivers.get(init.signal);
    const isEventStream = headers.get("content-type")?.startsWith("text/event-stream");
    if (!body || !onText || !isEventStream) return response;
    return new Response(withoutText(body, onText), { status, headers });
  };
}

function withoutText(body: ReadableStream<Uint8Array>, onText: OnText) {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const take = textTaker(onText);
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        for (let passed = ""; passed === ""; ) {
          const { done, value } = await reader.read();
          passed = take(decoder.decode(value, { stream: !done }), done);
          if (passed !== "") controller.enqueue(Buffer.from(passed));
          if (done) return controller.close();
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

/** Returns a function that takes the text of a read. It returns what the package is to read. */
function textTaker(onText: OnText): (read: string, isLast: boolean) => string {
  /** The beginning of an event that has not arrived whole. */
  let held = "";
  /** The parts of the last event with text that precede and follow its text. */
  let [head, tail] = ["", ""];
  let takesText = true;
  return (read, isLast) => {
    if (!takesText) return read;
    const parts = (held + read).split(EVENT_END);
    held = parts.pop() ?? "";
    let [text, passed] = ["", ""];
    for (let n = 0; n < parts.length; n += 2) {
      const [event = "", eventEnd = ""] = [parts[n], parts[n + 1]];
      const split = takesText ? splitEvent(event) : null;
      text += split?.text ?? "";
      if (!split) {
        passed += event + eventEnd;
        // The package reads text later than `onText` gets it, so from here on it reads all of it.
        if (OTHER_TEXT.test(event) || LAST_EVENT.test(event)) takesText = false;
      } else if (split.head !== head || split.tail !== tail) {
        ({ head, tail } = split);
        passed += head + NO_TEXT + tail + eventEnd;
      }
    }
    if (text !== "") onText(text);
    if (held.length > MAX_HELD) takesText = false;
    if (takesText && !isLast) return passed;
    return passed + held;
  };
}

/** Splits an event before and after its text. Null for an event of another kind. */
function splitEvent(event: string): { head: string; text: string; tail: string } | null {
  const at = event.indexOf('"delta"');
  if (at < 0 || at !== event.lastIndexOf('"delta"')) return null;
  if (!FIELDS.test(event.slice(0, at))) return null;
  const start = endOf(BEGINNING, event, at);
  if (start === 0) return null;
  const end = endOf(TEXT, event, start);
  if (end === 0 || endOf(END, event, end) === 0) return null;
  try {
    const text = JSON.parse(`"${event.slice(start, end)}"`);
    const [head, tail] = [event.slice(0, start), event.slice(end)];
    if (head.includes('"choices"') && OTHER_CHOICE.test(head + tail)) return null;
    return { head, text, tail };
  } catch {
    return null;
  }
}

/** Returns where the match of a sticky pattern at an index ends; 0 if there is none. */
function endOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  pattern.test(text);
  return pattern.lastIndex;
}
