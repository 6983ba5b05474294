import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import {
  type LimitedCounter,
  type LimitedHistogram,
  limitCounter,
  limitHistogram,
} from "./series-limit.ts";

/**
 * The metrics at /metrics (decisions §7). No label names an account, a soul or a room, and a server
 * has at most 2,000 series (0071).
 */
export interface HubMetrics {
  registry: Registry;
  requests: LimitedHistogram<"method" | "route" | "status">;
  chats: LimitedCounter<"provider" | "model" | "outcome">;
  modelTokens: LimitedCounter<"provider" | "model" | "direction">;
  modelSeconds: LimitedHistogram<"provider" | "model" | "outcome">;
  firstTokenSeconds: LimitedHistogram<"provider" | "model">;
  storingRetries: Counter;
  /** Logins by their way (password, passkey, wallet) and outcome: `ok` or a failure code. */
  logins: LimitedCounter<"way" | "outcome">;
  mails: Counter<"outcome">;
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

/** @param rooms counts rooms, sessions and replies; called whenever the metrics are read */
export function createMetrics(rooms: () => RoomCounts): HubMetrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read());
      },
    });
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
    requests: limitHistogram(
      new Histogram({
        name: "soulhub_http_request_seconds",
        help: "HTTP requests by method, route pattern and status.",
        labelNames: ["method", "route", "status"],
        buckets: [0.005, 0.025, 0.1, 0.5, 2.5, 10, 60],
        registers,
      }),
      70,
      "status",
    ),
    chats: limitCounter(
      counter("soulhub_chats_total", "Replies asked of a model, by provider, model and outcome.", [
        "provider",
        "model",
        "outcome",
      ]),
      40,
    ),
    modelTokens: limitCounter(
      counter(
        "soulhub_model_tokens_total",
        "Tokens of prompts (input) and replies (output), as the providers count them.",
        ["provider", "model", "direction"],
      ),
      20,
    ),
    modelSeconds: limitHistogram(
      new Histogram({
        name: "soulhub_model_seconds",
        help: "Whole calls to models, summaries among them, by outcome.",
        labelNames: ["provider", "model", "outcome"],
        buckets: [0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 60, 120],
        registers,
      }),
      24,
    ),
    firstTokenSeconds: limitHistogram(
      new Histogram({
        name: "soulhub_model_first_token_seconds",
        help: "From the call of a model to the first piece of its reply.",
        labelNames: ["provider", "model"],
        buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
        registers,
      }),
      10,
    ),
    storingRetries: counter(
      "soulhub_storing_retries_total",
      "Repeated attempts to store a finished reply.",
    ),
    logins: limitCounter(
      counter("soulhub_logins_total", "Logins by their way and outcome.", ["way", "outcome"]),
      30,
    ),
    mails: counter("soulhub_mails_total", "Mails by outcome: sent or failed.", ["outcome"]),
    rateLimited: counter("soulhub_rate_limited_total", "Calls refused by a rate limit, by rule.", [
      "rule",
    ]),
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
