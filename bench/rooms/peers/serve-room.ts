import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { executeOrders, report } from "../../processes/execute-orders.ts";
import {
  type BenchEvent,
  MARK,
  nowUs,
  type PeerAnswer,
  type PeerOrder,
  type PeerReady,
} from "./peer-protocol.ts";

/** The length of an event's text, so that a frame has about 300 bytes. */
const TEXT_CHARS = 180;
const PADDING = "the lamp comes first, then the log, then the tea, ".repeat(4);

/** Reports that this server listens, and broadcasts the events that the benchmark orders. */
export function serveRoom(ready: PeerReady, send: (event: BenchEvent) => void): void {
  let sent = 0;
  let messages = 0;
  let offset = 0;

  function sendNext(what: BenchEvent["type"]): void {
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

  function burst(what: BenchEvent["type"], events: number, perTurn: number): void {
    for (let n = 0; n < Math.min(events, perTurn); n++) sendNext(what);
    if (events > perTurn) setImmediate(burst, what, events - perTurn, perTurn);
  }

  function pace(what: BenchEvent["type"], events: number, everyMs: number, dueUs: number): void {
    sendNext(what);
    const nextUs = dueUs + everyMs * 1_000;
    // Each event has a fixed time, so a server that is late catches up.
    const waitMs = Math.max(0, (nextUs - nowUs()) / 1_000);
    if (events > 1) setTimeout(pace, waitMs, what, events - 1, everyMs, nextUs);
  }

  executeOrders((given: PeerOrder): PeerAnswer => {
    if (given.order === "burst") burst(given.what, given.events, given.perTurn);
    if (given.order === "pace") pace(given.what, given.events, given.everyMs, nowUs());
    return given.order === "weigh" ? weigh() : { rssBytes: 0, heldBytes: 0 };
  });
  report(ready);
}

function weigh() {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  // A second garbage collection frees objects that the finalizers of the first one have released.
  collect();
  collect();
  const { rss, heapUsed, external } = process.memoryUsage();
  return { rssBytes: rss, heldBytes: heapUsed + external };
}
