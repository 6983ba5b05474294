/**
 * The hub with all transports and the settings of tests. The process also sends the events that the
 * benchmark orders, as committed messages or as deltas of one reply.
 */
import { connectDatabase } from "@soul-hub/api";
import { hashCredential, openRoom, startTestHub } from "@soul-hub/api/testing";
import { pino } from "pino";
import type { BenchEvent } from "./bench-event.ts";
import { serveRoom } from "./serve-room.ts";

const [, , url] = process.argv;
const database = await connectDatabase({ url });
// The log of tests keeps each line in memory. A released hub writes lines of level `info`.
const log = pino({ level: "info" }, pino.destination({ minLength: 4_096, periodicFlush: 100 }));
const server = await startTestHub({ database, logger: log });
const { rooms } = server.hub;

const author = await server.member("orla");
const { soul_id: soulId } = await openRoom(author);

/**
 * The hub's internal name of room-0. Events published under another name would not reach the room's
 * clients.
 */
const tokenHash = hashCredential("room-0");
const room = `${soulId}/${tokenHash}`;
// The messages of the benchmark are published without being stored. A room gets its title from its
// first stored message, and a hub reads it until it has one.
await database.db
  .insertInto("chat_rooms")
  .values({
    soul_id: soulId,
    token_hash: tokenHash,
    token_sealed: "",
    owner: "guest:bench",
    title: "The lamp",
  })
  .execute();
let reply: ReturnType<typeof rooms.startReply> | undefined;
const publish = (event: BenchEvent) => {
  if (event.type === "message") {
    return rooms.publishMessages(room, [{ ...event, parent_id: event.prev_id || null }]);
  }
  const { reply_id } = event;
  reply ??= rooms.startReply(room, { reply_id, sender_name: "ada", content: "And the tea?" });
  reply.delta(event.text);
  // Each delta is sent at once, because the rows with deltas do not measure the hub's batching.
  reply.flush();
};
serveRoom(Number(new URL(server.url).port), publish, soulId);
