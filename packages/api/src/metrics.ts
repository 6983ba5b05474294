import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { RoomCounts } from "./rooms/active-rooms.ts";

/** What /metrics shows (decisions §7). No label names an account, a soul or a room. */
export interface HubMetrics {
  registry: Registry;
  requests: Histogram<"method" | "route" | "status">;
  chats: Counter<"provider" | "model" | "outcome">;
  openSockets: Gauge;
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
  live("soulhub_replies", "Replies being written.", (counts) => counts.replies);

  return {
    registry,
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
    openSockets: new Gauge({
      name: "soulhub_open_sockets",
      help: "Open WebSockets.",
      registers,
    }),
  };
}
