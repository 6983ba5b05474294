import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { MARK, nowUs, type PeerOrder, type PeerReady, type ToldEvent } from "./peer-protocol.ts";

/** With it a frame has about 300 bytes. */
const TEXT_CHARS = 180;
const PADDING = "the lamp comes first, then the log, then the tea, ".repeat(4);

/** Tells the bench that this server listens, and the room what the bench orders. */
export function obeyOrders(ready: PeerReady, tell: (event: ToldEvent) => void): void {
  let told = 0;
  let messages = 0;
  let offset = 0;

  function tellNext(what: ToldEvent["type"]): void {
    const text = `${MARK}${++told} ${nowUs()} ${PADDING}`.slice(0, TEXT_CHARS);
    if (what === "message") {
      const id = ++messages;
      const sender_name = "Orla of Skarholm";
      tell({ type: what, id, prev_id: id - 1, role: "assistant", sender_name, content: text });
    } else {
      tell({ type: what, reply_id: "4b0d8a52c1e94f77", offset, text });
      offset += text.length;
    }
  }

  function burst(what: ToldEvent["type"], events: number, perTurn: number): void {
    for (let n = 0; n < Math.min(events, perTurn); n++) tellNext(what);
    if (events > perTurn) setImmediate(burst, what, events - perTurn, perTurn);
  }

  function pace(what: ToldEvent["type"], events: number, everyMs: number, dueUs: number): void {
    tellNext(what);
    const nextUs = dueUs + everyMs * 1_000;
    // By the clock, not by the pause: whoever is late makes up for it.
    const waitMs = Math.max(0, (nextUs - nowUs()) / 1_000);
    if (events > 1) setTimeout(pace, waitMs, what, events - 1, everyMs, nextUs);
  }

  process.on("message", (given: PeerOrder) => {
    const memory = given.order === "weigh" ? weigh() : { rssBytes: 0, heldBytes: 0 };
    if (given.order === "burst") burst(given.what, given.events, given.perTurn);
    if (given.order === "pace") pace(given.what, given.events, given.everyMs, nowUs());
    process.send?.(memory);
  });
  // Ends with the bench, however that ends.
  process.on("disconnect", () => process.exit());
  process.send?.(ready);
}

function weigh() {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  // What the first leaves to finalizers, the second takes.
  collect();
  collect();
  const { rss, heapUsed, external } = process.memoryUsage();
  return { rssBytes: rss, heldBytes: heapUsed + external };
}
