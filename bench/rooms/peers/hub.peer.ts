/**
 * The hub with all transports, composed as in apps/server. The process also sends the events that
 * the benchmark orders, as committed messages or as deltas of one reply.
 */
import { createHash } from "node:crypto";
import type { AddressInfo } from "node:net";
import {
  connectDatabase,
  createApp,
  createHub,
  createModels,
  createOwnModels,
  defaultTiers,
} from "@soul-hub/api";
import { pino } from "pino";
import { executeOrders } from "./execute-orders.ts";

const [, , databaseUrl] = process.argv;
const timeoutMs = 60_000;
const models = { text: null, vision: null, premium: null, summary: null, keys: {} };
const log = pino({ level: "info" }, pino.destination({ minLength: 4_096, periodicFlush: 100 }));
const database = await connectDatabase({ url: databaseUrl, log: () => undefined });
const hub = createHub({
  config: {
    version: "0.0.0-bench",
    baseUrl: "http://127.0.0.1",
    adminToken: null,
    tiers: defaultTiers,
    modelCallsAtOnce: 256,
    retainRoomsDays: 0,
    retainGuestRoomsDays: 0,
    retainUsageDays: 90,
    retainReportsDays: 180,
    retainAuditDays: 400,
    deletionGraceDays: 14,
    // The rate limits are off, because all sockets come from one address and would exceed its
    // limits.
    rateLimits: false,
    diskReserveBytes: 0,
    autoLimit: 0,
    registration: "open",
    guests: true,
    emailVerification: "optional",
    about: { contact: null, termsUrl: null, privacyUrl: null },
    storageBytesPerAccount: 256 * 2 ** 20,
    cdnCache: false,
    slowQueryMs: 0,
    mcpAllowedOrigins: [],
    wallets: [],
  },
  database,
  masterKeys: [{ id: "bench", key: Buffer.alloc(32, 7) }],
  models: createModels({ ...models, openaiCompatible: {}, timeoutMs }),
  ownModels: createOwnModels({ allowedHosts: [], timeoutMs }),
  chain: null,
  log,
});
const app = await createApp(hub);
await app.listen({ port: 0, host: "127.0.0.1" });
const { port } = app.server.address() as AddressInfo;

async function post(path: string, body: object, apiKey?: string) {
  const answer = await fetch(`http://127.0.0.1:${port}/api${path}`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      ...(apiKey ? { authorization: `Bearer ${apiKey}` } : {}),
    },
    body: JSON.stringify(body),
  });
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as { api_key: string; id: number };
}

const author = { username: "orla", password: "correct horse battery", email: "orla@example.org" };
const { api_key } = await post("/register", author);
const soul = { title: "Orla", content: "# Who you are\n\nYou keep the lighthouse at Skarholm." };
const { id: soulId } = await post("/souls", soul, api_key);

/**
 * The hub's internal name of room-0. Events published under another name would not reach the room's
 * clients.
 */
const tokenHash = createHash("sha256").update("room-0").digest("base64url");
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
let reply: ReturnType<typeof hub.rooms.startReply> | undefined;
executeOrders({ port, soulId }, (event) => {
  if (event.type === "message")
    return hub.rooms.publishMessages(room, [{ ...event, parent_id: event.prev_id || null }]);
  const { reply_id } = event;
  reply ??= hub.rooms.startReply(room, { reply_id, sender_name: "ada", content: "And the tea?" });
  reply.delta(event.text);
  // Each delta is sent at once, because the rows with deltas do not measure the hub's batching.
  reply.flush();
});
