import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { type Limited, limitSeries } from "./series-limit.ts";

/**
 * The metrics at /metrics (decisions §7). No label names an account, a soul or a room, and a server
 * has at most 2,000 series (0071).
 */
export interface HubMetrics {
  registry: Registry;
  requests: Limited<"method" | "route" | "status">;
  chats: Limited<"provider" | "model" | "outcome">;
  modelTokens: Limited<"provider" | "model" | "direction">;
  modelSeconds: Limited<"provider" | "model" | "outcome">;
  firstTokenSeconds: Limited<"provider" | "model">;
  storingRetries: Counter;
  /** Logins by their way (password, passkey, wallet) and outcome: `ok` or a failure code. */
  logins: Limited<"way" | "outcome">;
  mails: Counter<"outcome">;
  /** Souls whose vector was computed (`ok`), or was not because the model failed (`failed`). */
  embeddings: Counter<"outcome">;
  /** The stages of searches of souls: `text`, `slip` and `meaning` (0079). */
  searchSeconds: Histogram<"stage">;
  rateLimited: Counter<"rule">;
  backgroundFailures: Counter<"task">;
  openSockets: Gauge;
  refusedConnections: Counter;
  /**
   * Counts the bytes that slow WebSocket clients have not yet received. The WebSocket server sets
   * this function.
   */
  sockets: { unsentBytes: () => number };
  /** Counts the log lines that were not written (0035). The server sets this function. */
  logLines: { dropped: () => number };
  /** Counts the spans that were not exported (0070). The server sets this function. */
  spans: { dropped: () => number };
}

interface RoomCounts {
  rooms: number;
  sessions: number;
  replies: number;
}

/**
 * The labels of a request beyond the limit that alerts select by. A poll that waits is not slow, so
 * its route stays apart.
 */
const keptOfRequest = ({ method, route, status }: Record<string, string | number>) => ({
  ...((method === "GET" || method === "POST") && { method }),
  ...(route === "/api/chat-sync" && { route }),
  status: `${String(status).charAt(0)}xx`,
});

let ofProcess: Registry | undefined;

/**
 * Returns the metrics of the Node process, which all its hubs share. prom-client can't stop its
 * observers, which would keep each closed hub in memory.
 */
function processMetrics(): Registry {
  if (!ofProcess) {
    ofProcess = new Registry();
    collectDefaultMetrics({ register: ofProcess });
  }
  return ofProcess;
}

/** Registers a gauge whose value is read whenever the metrics are. */
export const registerGauge = (
  registry: Registry,
  name: string,
  help: string,
  read: () => number,
): Gauge =>
  new Gauge({
    name,
    help,
    registers: [registry],
    collect() {
      this.set(read());
    },
  });

/** @param rooms counts rooms, sessions and replies; called whenever the metrics are read */
export function createMetrics(rooms: () => RoomCounts): HubMetrics {
  const registry = Registry.merge([processMetrics()]);
  const registers = [registry];
  const gauge = (name: string, help: string, read: () => number) =>
    registerGauge(registry, name, help, read);
  const sockets = { unsentBytes: () => 0 };
  const logLines = { dropped: () => 0 };
  const spans = { dropped: () => 0 };
  const total = (name: string, help: string, read: () => number) =>
    new Counter({
      name,
      help,
      registers,
      collect() {
        this.reset();
        this.inc(read());
      },
    });
  const counter = <Name extends string>(name: string, help: string, labelNames: Name[] = []) =>
    new Counter({ name, help, labelNames, registers });
  const histogram = <Name extends string>(
    name: string,
    help: string,
    labelNames: Name[],
    buckets: number[],
  ) => new Histogram({ name, help, labelNames, buckets, registers });
  const model: ("provider" | "model")[] = ["provider", "model"];
  gauge("soulhub_rooms", "Rooms this server follows.", () => rooms().rooms);
  gauge("soulhub_subscriptions", "Live subscriptions.", () => rooms().sessions);
  gauge(
    "soulhub_unsent_bytes",
    "Bytes in memory that slow WebSocket clients have not received yet.",
    () => sockets.unsentBytes(),
  );
  total(
    "soulhub_log_dropped_lines_total",
    "Log lines dropped because the log's destination was full or closed.",
    () => logLines.dropped(),
  );
  total(
    "soulhub_trace_dropped_spans_total",
    "Spans dropped because the collector of traces was full or away.",
    () => spans.dropped(),
  );
  gauge("soulhub_replies", "Replies being written.", () => rooms().replies);

  return {
    registry,
    sockets,
    logLines,
    spans,
    requests: limitSeries(
      histogram(
        "soulhub_http_request_seconds",
        "HTTP requests by method, route pattern and status.",
        ["method", "route", "status"],
        [0.005, 0.025, 0.1, 0.5, 2.5, 10, 60],
      ),
      70,
      keptOfRequest,
    ),
    chats: limitSeries(
      counter("soulhub_chats_total", "Replies asked of a model, by provider, model and outcome.", [
        ...model,
        "outcome",
      ]),
      40,
    ),
    modelTokens: limitSeries(
      counter(
        "soulhub_model_tokens_total",
        "Tokens of prompts (input) and replies (output), as the providers count them.",
        [...model, "direction"],
      ),
      20,
    ),
    modelSeconds: limitSeries(
      histogram(
        "soulhub_model_seconds",
        "Whole calls to models, summaries among them, by outcome.",
        [...model, "outcome"],
        [0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 60, 120],
      ),
      24,
    ),
    firstTokenSeconds: limitSeries(
      histogram(
        "soulhub_model_first_token_seconds",
        "From the call of a model to the first piece of its reply.",
        model,
        [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
      ),
      10,
    ),
    logins: limitSeries(
      counter("soulhub_logins_total", "Logins by their way and outcome.", ["way", "outcome"]),
      30,
    ),
    storingRetries: counter("soulhub_storing_retries_total", "Repeated attempts to store a reply."),
    mails: counter("soulhub_mails_total", "Mails by outcome: sent or failed.", ["outcome"]),
    embeddings: counter(
      "soulhub_embeddings_total",
      "Souls given to the embedding model, by outcome: ok or failed.",
      ["outcome"],
    ),
    searchSeconds: histogram(
      "soulhub_search_seconds",
      "Searches of souls, by stage: text, slip or meaning.",
      ["stage"],
      [0.005, 0.025, 0.1, 0.25, 1, 5],
    ),
    rateLimited: counter("soulhub_rate_limited_total", "Calls refused by a rate limit.", ["rule"]),
    backgroundFailures: counter(
      "soulhub_background_failures_total",
      "Background work that failed, by task.",
      ["task"],
    ),
    refusedConnections: counter(
      "soulhub_refused_connections_total",
      "Connections closed at once, beyond the limits per address or in all.",
    ),
    openSockets: new Gauge({
      name: "soulhub_open_sockets",
      help: "Open WebSockets.",
      registers,
    }),
  };
}
