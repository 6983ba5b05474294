/** What the bench and the travellers, a process of their own, say to each other. */
import type { RoomName } from "./room-hub.ts";

export interface Journey {
  port: number;
  rooms: RoomName[];
  travellers: number;
  awayMs: number;
  betweenMs: number;
}

export interface TravelReport {
  drops: number;
  /** Connections that broke off. */
  cuts: number;
  lastBackMs: number;
  /** By which way each was there in the end. */
  via: string[];
  /** Ids of the messages that each holds; the first traveller is in the first room, and so on. */
  held: number[][];
}
