// A bot that rolls a die when a participant writes `!roll`. The room's soul replies to the result.
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
  if (connection === "closed") console.error("The room is closed:", error?.message);
  if (connection !== "live") return;
  // The first snapshot contains earlier messages. The bot reacts to later ones only.
  if (lastSeen === undefined) console.log(`Connected via ${via}.`);
  const newMessages =
    lastSeen === undefined ? [] : messages.filter(({ id }) => id > (lastSeen ?? 0));
  lastSeen = messages.at(-1)?.id ?? 0;
  for (const { role, sender_name, content } of newMessages) {
    if (role === "user" && content.trim() === "!roll") void roll(sender_name);
  }
});

async function roll(sender: string): Promise<void> {
  const result = 1 + Math.floor(Math.random() * 6);
  const content = `${sender} rolls a ${result}.`;
  await client.chat.send
    .mutate({ ...name, content })
    .catch(({ message }) => console.error(message));
}
