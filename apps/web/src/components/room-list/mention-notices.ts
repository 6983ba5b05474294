import { blockList, type ChatSession, queryClient, type RoomName } from "../../queries.ts";
import { readObject, writeItem } from "../../stored-item.ts";
import { plainLine } from "./plain-line.ts";
import { isInFront } from "./use-front-room.ts";

/** With more rooms than this at once, one notification names their number. */
const MOST_NOTICES = 3;

/** The state that this browser's tabs share: each room's last message and the mentions up to it. */
type KnownMentions = Record<string, { id: number; mentions: number }>;

const keyOf = (username: string) => `soulhub-known-mentions/${username}`;
const nameOf = ({ soul_id, session_token }: RoomName) => `${soul_id}/${session_token}`;

/**
 * Shows notifications for the rooms in which the member was mentioned since the last call of any
 * tab, but not for rooms that the member is reading.
 * @param onOpen called when the member clicks a notification; undefined for several rooms
 */
export async function noticeMentions(
  username: string,
  rooms: readonly ChatSession[],
  onOpen: (room: RoomName | undefined) => void,
): Promise<void> {
  const taken = await takeNewMentions(username, rooms);
  if (taken.length === 0) return;
  const blocks = await queryClient.fetchQuery(blockList);
  const blocked = new Set(blocks.data.map((block) => block.username));
  const mentioned = taken.filter(
    ({ last_message }) => !blocked.has(last_message?.sender_name ?? ""),
  );
  const inFront = await Promise.all(mentioned.map(isInFront));
  const shown = mentioned.filter((_, at) => !inFront[at]);
  if (shown.length > MOST_NOTICES) {
    return show(`You were mentioned in ${shown.length} rooms`, "", "mentions", () =>
      onOpen(undefined),
    );
  }
  for (const room of shown) {
    const { title, soul_title, last_message } = room;
    const tag = `mention/${nameOf(room)}/${last_message?.id}`;
    const heading = `You were mentioned in “${title || soul_title}”`;
    show(heading, bodyOf(room, username), tag, () => onOpen(room));
  }
}

/** The last message, which need not be the one with the mention. */
function bodyOf({ last_message, soul_title }: ChatSession, username: string): string {
  const isIt = last_message?.content.toLowerCase().includes(`@${username.toLowerCase()}`);
  return isIt && last_message
    ? `${last_message.sender_name}: ${plainLine(last_message.content)}`
    : soul_title;
}

function show(title: string, body: string, tag: string, onClick: () => void): void {
  // Two tabs may ask for the same notification; the tag makes it one.
  const notification = new Notification(title, { body, tag, icon: "/icon-192.png" });
  notification.onclick = () => {
    window.focus();
    notification.close();
    onClick();
  };
}

/**
 * Returns the rooms with more mentions than known, and makes them known. The lock lets one tab after
 * the other compare, so that each mention is taken once.
 */
export const takeNewMentions = (
  username: string,
  rooms: readonly ChatSession[],
): Promise<readonly ChatSession[]> =>
  navigator.locks.request(keyOf(username), () => {
    const known = readObject<KnownMentions>(keyOf(username)) ?? {};
    const next: KnownMentions = {};
    const taken = rooms.filter((room) => {
      const before = known[nameOf(room)] ?? { id: 0, mentions: 0 };
      const { id = 0 } = room.last_message ?? {};
      const isNewer = id > before.id;
      // Without a newer message, a higher count is the answer to an earlier request.
      const mentions = isNewer ? room.mentions : Math.min(room.mentions, before.mentions);
      next[nameOf(room)] = { id: Math.max(id, before.id), mentions };
      return isNewer && room.mentions > before.mentions;
    });
    // A full storage keeps its former state: a notification may come again, under its tag.
    writeItem(keyOf(username), JSON.stringify(next));
    return taken;
  });
