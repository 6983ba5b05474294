import { z } from "zod";
import { readShare } from "../chat/sharing/read-share.service.ts";
import type { Hub } from "../context.ts";
import type { RoomMessage } from "../rooms/room-events.ts";
import { listCategories } from "../souls/categories.ts";
import { listSouls } from "../souls/list-souls.service.ts";
import { withDigest } from "../souls/soul-access.ts";
import { type Soul, soulListEntry, soul as soulShape } from "../souls/souls.schema.ts";
import { countPageRead, openSoulAt } from "./link-previews.ts";
import { readRoomLines } from "./room-lines.ts";

/**
 * The query results that a page needs for its first paint, inlined in its HTML (0019). They contain
 * public data only. Of the caller, the HTML depends on the presence of a cookie alone (0073).
 */
export interface PageData {
  categories?: ReturnType<typeof listCategories>;
  souls?: {
    count: number;
    total?: number;
    has_more: boolean;
    data: z.infer<typeof soulListEntry>[];
  };
  soul?: { data: Soul };
  share?: { data: SharedConversation };
  /** The newest messages of an open room, for a caller without a cookie. */
  room?: { messages: RoomMessage[] };
}

/** A request for a page whose path has no query string. */
export interface PageRequest {
  pathname: string;
  /** The client's address, by which reads are counted. */
  ip: string;
  hasCookie: boolean;
}

type SharedConversation = Awaited<ReturnType<typeof readShare>>;

/** A longer shared conversation is not inlined, in characters: each page is compressed anew. */
const MAX_SHARED_CHARS = 100_000;

/** The number of souls in the first page of the front page's list. */
const FRONT_PAGE_SOULS = 24;

const shownList = z.array(soulListEntry);

/**
 * Reads the data for a page. A page without public data gets an empty object.
 * @throws HubError `rate_limited`
 */
export async function readPageData(hub: Hub, request: PageRequest): Promise<PageData> {
  const { pathname, ip } = request;
  if (pathname === "/") {
    await countPageRead(hub, ip);
    return { categories: listCategories(), souls: await readFrontPage(hub) };
  }
  const [, section, id = "", ...more] = pathname.split("/");
  if (section === "share" && more.length === 0) return readShared(hub, id);
  const isRoom = section === "chat" && more.length === 1;
  if (!isRoom && (section !== "soul" || more.length > 0)) return {};
  // Only a room's page is counted against the rate limit here. `readPage` has already counted a
  // soul's page.
  if (isRoom) await countPageRead(hub, ip);
  const [session_token = ""] = more;
  // A reader with a cookie may have blocked a sender, or be banned from the room.
  const isStranger = isRoom && !request.hasCookie;
  const [soul, messages] = await Promise.all([
    readOpenSoul(hub, id),
    isStranger ? readRoomLines(hub, { soul_id: Number(id), session_token }) : undefined,
  ]);
  if (!soul) return {};
  if (!isRoom) return { categories: listCategories(), soul };
  return messages ? { soul, room: { messages } } : { soul };
}

async function readFrontPage(hub: Hub) {
  const question = { q: "", role: "", limit: FRONT_PAGE_SOULS, offset: 0 };
  const { data, ...counts } = await listSouls({ hub, db: hub.database.db }, question);
  return { ...counts, data: shownList.parse(data) };
}

async function readShared(hub: Hub, id: string): Promise<PageData> {
  const data = await readShare({ db: hub.database.db }, id);
  const chars = data.messages.reduce((sum, { content }) => sum + content.length, 0);
  return chars > MAX_SHARED_CHARS ? {} : { share: { data } };
}

/**
 * Reads a public soul without an NFT gate. Returns undefined for other souls, because their visible
 * content depends on the caller.
 */
async function readOpenSoul(hub: Hub, idText: string): Promise<{ data: Soul } | undefined> {
  const soul = await openSoulAt(hub, idText);
  return soul && { data: soulShape.parse(withDigest(soul)) };
}
