import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";

/** The metrics at /metrics (decisions §7). No label names an account, a soul or a room. */
export interface HubMetrics {
  registry: Registry;
  requests: Histogram<"method" | "route" | "status">;
  chats: Counter<"provider" | "model" | "outcome">;
  modelTokens: Counter<"provider" | "model" | "direction">;
  modelSeconds: Histogram<"provider" | "model" | "outcome">;
  firstTokenSeconds: Histogram<"provider" | "model">;
  openSockets: Gauge;
  refusedConnections: Counter;
  /**
   * Counts the bytes that slow WebSocket clients have not yet received. The WebSocket server sets
   * this function.
   */
  sockets: { unsentBytes: () => number };
  /** Counts the log lines that were not written (0035). The server sets this function. */
  logLines: { dropped: () => number };
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
  gauge("soulhub_rooms", "Rooms this server follows.", () => rooms().rooms);
  gauge("soulhub_subscriptions", "Live subscriptions.", () => rooms().sessions);
  gauge(
    "soulhub_unsent_bytes",
    "Bytes in memory that slow WebSocket clients have not received yet.",
    () => sockets.unsentBytes(),
  );
  new Counter({
    name: "soulhub_log_dropped_lines_total",
    help: "Log lines dropped because the log's destination was full or closed.",
    registers,
    collect() {
      this.reset();
      this.inc(logLines.dropped());
    },
  });
  gauge("soulhub_replies", "Replies being written.", () => rooms().replies);

  return {
    registry,
    sockets,
    logLines,
    requests: new Histogram({
      name: "soulhub_http_request_seconds",
      help: "HTTP requests by method, route pattern and status.",
      labelNames: ["method", "route", "status"],
      buckets: [0.005, 0.025, 0.1, 0.5, 2.5, 10, 60],
      registers,
    }),
    chats: new Counter({
      name: "soulhub_chats_total",
      help: "Replies asked of a model, by provider, model and outcome.",
      labelNames: ["provider", "model", "outcome"],
      registers,
    }),
    modelTokens: new Counter({
      name: "soulhub_model_tokens_total",
      help: "Tokens of prompts (input) and replies (output), as the providers count them.",
      labelNames: ["provider", "model", "direction"],
      registers,
    }),
    modelSeconds: new Histogram({
      name: "soulhub_model_seconds",
      help: "Whole calls to models, summaries among them, by outcome.",
      labelNames: ["provider", "model", "outcome"],
      buckets: [0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 60, 120],
      registers,
    }),
    firstTokenSeconds: new Histogram({
      name: "soulhub_model_first_token_seconds",
      help: "From the call of a model to the first piece of its reply.",
      labelNames: ["provider", "model"],
      buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
      registers,
    }),
    refusedConnections: new Counter({
      name: "soulhub_refused_connections_total",
      help: "Connections closed at once, beyond the limits per address or in all.",
      registers,
    }),
    openSockets: new Gauge({
      name: "soulhub_open_sockets",
      help: "Open WebSockets.",
      registers,
    }),
  };
}
