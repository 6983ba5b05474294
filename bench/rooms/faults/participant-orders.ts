import type { RoomName } from "../../processes/chat-hub.ts";

/** The messages between the benchmark and the process that simulates its clients. */

/** The room, the servers and the behaviour of one client. */
export interface Place {
  /** The ports of the client's servers. Each connection attempt uses the next port. */
  ports: number[];
  room: RoomName;
  /** The number of subscriptions on one socket. A hostile client has more than one. */
  subscriptions?: number;
  /** The User-Agent header, by which the hub identifies a guest without a cookie. */
  agent: string;
  /** The clients of a group are measured together. */
  group: string;
  /** With false, the client stops reading from its socket after the join. */
  reads: boolean;
}

/** Returns places in rooms, `count` in each. */
export const placesIn = (
  rooms: RoomName[],
  ports: number[],
  { group, count, ...behaviour }: Pick<Place, "group"> & Partial<Place> & { count: number },
): Place[] =>
  rooms.flatMap((room) =>
    Array.from({ length: count }, (_, n) => ({
      ports,
      room,
      agent: `${group} ${room.session_token} ${n}`,
      group,
      reads: true,
      ...behaviour,
    })),
  );

export type ParticipantOrder =
  | { do: "join"; places: Place[] }
  | { do: "cut" }
  /** Each client reconnects after a random delay of at most `withinMs`. */
  | { do: "return"; withinMs: number }
  /** Measures the latency of the words that arrive within `seconds`. */
  | { do: "measure"; seconds: number }
  | { do: "report" }
  /**
   * Disconnects the clients of a group `times` times. Each reconnects after a random delay of at
   * most `awayMs`.
   */
  | { do: "flicker"; group: string; times: number; awayMs: number; graceMs: number }
  | { do: "leave" };

/** The latency of words, from their creation by the provider to their arrival at a client. */
export interface Latencies {
  count: number;
  p50Ms: number;
  p95Ms: number;
  p99Ms: number;
}

export interface ParticipantResult {
  seconds: number;
  /** The CPU time of the clients' process as a share of one core. */
  cpu: number;
  /** The latencies of words, by group. */
  latencies: Record<string, Latencies>;
  /** The number of reconnects that took longer than the grace period. */
  late: number;
  /** The state of each client, by group. Only a `report` order sets it. */
  states: Record<string, ParticipantState[]>;
}

export interface ParticipantState {
  messages: number;
  /** The number of gaps and repetitions among the received messages. */
  faults: number;
  /** The received leave events: the number of participants that left, and the time. */
  left: { count: number; at: number }[];
}
