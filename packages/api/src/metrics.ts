import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { RoomCounts } from "./rooms/active-rooms.ts";

/** What /metrics shows (decisions §7). No label names an account, a soul or a room. */
export interface HubMetrics {
  registry: Registry;
  requests: Histogram<"method" | "route" | "status">;
  chats: Counter<"provider" | "model" | "outcome">;
  modelTokens: Counter<"provider" | "model" | "direction">;
  modelSeconds: Histogram<"provider" | "model" | "outcome">;
  firstTokenSeconds: Histogram<"provider" | "model">;
  openSockets: Gauge;
  /** Set by the door that knows: bytes that wait in memory for slow readers. */
  sockets: { unsentBytes: () => number };
}

/** @param rooms asked whenever somebody reads the metrics */
export function createMetrics(rooms: () => RoomCounts): HubMetrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const live = (name: string, help: string, read: (counts: RoomCounts) => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read(rooms()));
      },
    });
  live("soulhub_rooms", "Rooms this server follows.", (counts) => counts.rooms);
  live("soulhub_subscriptions", "Live subscriptions.", (counts) => counts.sessions);
  const sockets = { unsentBytes: () => 0 };
  new Gauge({
    name: "soulhub_unsent_bytes",
    help: "Bytes that wait in memory for readers of WebSockets that are slow.",
    registers,
    collect() {
      this.set(sockets.unsentBytes());
    },
  });
  live("soulhub_replies", "Replies being written.", (counts) => counts.replies);

  return {
    registry,
    sockets,
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
    openSockets: new Gauge({
      name: "soulhub_open_sockets",
      help: "Open WebSockets.",
      registers,
    }),
  };
}
