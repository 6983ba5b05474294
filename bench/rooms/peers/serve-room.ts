import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { answerCalls } from "../../processes/answer-calls.ts";
import { type BenchEvent, MARK, nowUs } from "./bench-event.ts";

/** The length of an event's text, so that a frame has about 300 bytes. */
const TEXT_CHARS = 180;
const PADDING = "the lamp comes first, then the log, then the tea, ".repeat(4);

type What = BenchEvent["type"];

/** Lets the benchmark broadcast events to room-0 of this server. `send` broadcasts one event. */
export function serveRoom(port: number, send: (event: BenchEvent) => void, soulId = 0) {
  let [sent, messages, offset] = [0, 0, 0];

  function sendNext(what: What): void {
    const text = `${MARK}${++sent} ${nowUs()} ${PADDING}`.slice(0, TEXT_CHARS);
    if (what === "message") {
      const id = ++messages;
      const sender_name = "Orla of Skarholm";
      send({ type: what, id, prev_id: id - 1, role: "assistant", sender_name, content: text });
    } else {
      send({ type: what, reply_id: "4b0d8a52c1e94f77", offset, text });
      offset += text.length;
    }
  }

  /** Sends `events` events, `perTurn` of them in each turn of the event loop. */
  function burst(what: What, events: number, perTurn: number): void {
    for (let n = 0; n < Math.min(events, perTurn); n++) sendNext(what);
    if (events > perTurn) setImmediate(burst, what, events - perTurn, perTurn);
  }

  /** Sends one event every `everyMs` milliseconds. */
  function pace(what: What, events: number, everyMs: number, dueUs = nowUs()): void {
    sendNext(what);
    const nextUs = dueUs + everyMs * 1_000;
    // Each event has a fixed time, so a server that is late catches up.
    const waitMs = Math.max(0, (nextUs - nowUs()) / 1_000);
    if (events > 1) setTimeout(pace, waitMs, what, events - 1, everyMs, nextUs);
  }

  /** The memory of the server after a garbage collection. */
  function residentBytes(): number {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    // A second garbage collection frees objects that the finalizers of the first one have released.
    collect();
    collect();
    return process.memoryUsage().rss;
  }

  const functions = { address: () => ({ port, soulId }), burst, pace, residentBytes };
  answerCalls(functions);
  return functions;
}
