/** What the bench and its people, a process of their own, say to each other. */
import type { RoomName } from "./room-hub.ts";

/** Where one of them is. */
export interface Place {
  /** Of the servers that they come to in turn. */
  ports: number[];
  room: RoomName;
  /** On one socket; more than one for somebody who does harm. */
  subscriptions?: number;
  /** A guest without a cookie is known by its address and this. */
  agent: string;
  /** Whose figures are told together. */
  group: string;
  /** False: it stops reading once it is there. */
  reads: boolean;
}

export type PeopleOrder =
  /** So many at a time; without it all at once. */
  | { do: "join"; places: Place[]; atATime?: number }
  | { do: "cut" }
  /** Each comes back at a random moment within so many milliseconds. */
  | { do: "return"; withinMs: number }
  /** How old what is said in the rooms is when it arrives. */
  | { do: "listen"; seconds: number }
  | { do: "tell" }
  /** Cuts and returns within the grace, again and again, all of a group. */
  | { do: "flicker"; group: string; times: number; awayMs: number; graceMs: number }
  | { do: "leave" };

/** How old words were when they were heard. */
export interface Heard {
  count: number;
  p50Ms: number;
  p95Ms: number;
  p99Ms: number;
}

export interface PeopleResult {
  seconds: number;
  /** Share of one core. */
  cpu: number;
  /** By group. */
  heard: Record<string, Heard>;
  /** Those who were away for longer than the grace; only where the order was to flicker. */
  late: number;
  /** By group, as of now; only where the order was to tell. */
  told: Record<string, PersonTold[]>;
}

export interface PersonTold {
  /** Durable messages, and those that did not follow on the one before. */
  messages: number;
  faults: number;
  last: number;
  syncs: number;
  online: number;
  left: { count: number; at: number }[];
}
