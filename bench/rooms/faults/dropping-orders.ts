/**
 * The messages between the benchmark and the process of the clients that lose their connections
 * (row B7).
 */
import type { RoomName } from "./room-hub.ts";

export interface DropsOrder {
  port: number;
  rooms: RoomName[];
  clients: number;
  awayMs: number;
  betweenMs: number;
}

export interface DropsReport {
  drops: number;
  /** The number of connections that the proxy has dropped. */
  cuts: number;
  lastBackMs: number;
  /** The transport that each client uses when the benchmark ends. */
  via: string[];
  /**
   * The ids of the messages that each client has. Client n is in room n modulo the number of rooms.
   */
  held: number[][];
}
