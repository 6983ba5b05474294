import type { Actor, Answer } from "../../testing/actor.ts";
import { openRoom, type RoomName, say } from "../../testing/chat-hub.ts";
import type { SeenRequest } from "../../testing/openai-server.ts";

/** A room of the soul Orla, with the guests Ben and Cara of another author. */
export interface SharedRoom {
  room: RoomName;
  orla: number;
  ben: number;
  cara: number;
  /** Changes the room's settings, as its owner. */
  set(settings: object): Promise<Answer>;
}

let rooms = 0;

/** Opens a room that the owner has begun with "Hello." and one reply of Orla. */
export async function openSharedRoom(owner: Actor, author: Actor): Promise<SharedRoom> {
  const { soul_id: orla } = await openRoom(author, { content: "I am Orla." });
  const { soul_id: ben } = await openRoom(author, { title: "Ben", content: "I am Ben." });
  const { soul_id: cara } = await openRoom(author, { title: "Cara", content: "I am Cara." });
  const room = { soul_id: orla, session_token: `shared-${++rooms}` };
  await say(owner, room, "Hello.");
  const set = (settings: object) => owner.put("/api/room", { ...room, ...settings });
  await set({ souls: [orla, ben, cara].map((soul_id) => ({ soul_id })) });
  return { room, orla, ben, cara, set };
}

/** The title of the soul whose prompt a request contains. */
export const soulOf = ({ system }: SeenRequest): string => /^Title: (.*)$/m.exec(system)?.[1] ?? "";

/** The texts of a request's messages. */
export const textsOf = ({ messages }: SeenRequest): string[] =>
  messages.map(({ content }) => content);

export const removeMessage = (
  actor: Actor,
  { soul_id, session_token }: RoomName,
  id: number,
): Promise<Answer> =>
  actor.delete(
    `/api/message?${new URLSearchParams({ soul_id: String(soul_id), session_token, id: String(id) })}`,
  );
