// Rolls a die for whoever writes `!roll` in a room, and lets the room's soul make what it can of it.
// HUB_KEY=shk_… node examples/dice-bot.ts http://localhost:3000/chat/1/harbour
import { createHubClient, joinRoom } from "@soul-hub/client";

const { HUB_KEY: key = "" } = process.env;
const address = new URL(process.argv[2] ?? "http://localhost:3000/chat/1/harbour");
const [, , id, session_token = ""] = address.pathname.split("/");
const name = { soul_id: Number(id), session_token };
const { client } = createHubClient({ baseUrl: address.origin, ...(key && { key }) });

let lastSeen: number | undefined;
const room = joinRoom({ client, ...name });
room.subscribe(() => {
  const { connection, via, messages, error } = room.getSnapshot();
  if (connection === "closed") console.error("The hub says no:", error?.message);
  if (connection !== "live") return;
  // What was said before we came has been answered, or never will be.
  if (lastSeen === undefined) console.log(`Listening by ${via}.`);
  const news = lastSeen === undefined ? [] : messages.filter(({ id }) => id > (lastSeen ?? 0));
  lastSeen = messages.at(-1)?.id ?? 0;
  for (const { role, sender_name, content } of news) {
    if (role === "user" && content.trim() === "!roll") void roll(sender_name);
  }
});

async function roll(who: string): Promise<void> {
  const eyes = 1 + Math.floor(Math.random() * 6);
  const content = `${who} rolls a ${eyes}.`;
  await client.chat.send
    .mutate({ ...name, content })
    .catch(({ message }) => console.error(message));
}
