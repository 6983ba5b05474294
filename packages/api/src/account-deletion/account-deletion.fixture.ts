import { readZip } from "@soul-hub/soul-formats";
import { downloadArchive } from "../account-archive/archive.fixture.ts";
import type { Actor } from "../testing/actor.ts";
import { type ChatHub, openRoom, type RoomName, say } from "../testing/chat-hub.ts";
import { PASSWORD } from "../testing/test-hub.ts";

/** A name, an address and a text that occur nowhere else. */
export const NAME = "Quintessa";
export const ADDRESS = "quintessa@example.org";
export const TEXT = "I hid the brass key under the sundial";

type Query = Record<string, string | number>;
export const withQuery = (path: string, query: Query): string => {
  const pairs = Object.entries(query).map(([key, value]): [string, string] => [key, String(value)]);
  return `${path}?${new URLSearchParams(pairs)}`;
};

/** An account with everything that a deletion concerns, and another one that shares it. */
export interface DeletionWorld {
  leaver: Actor;
  other: Actor;
  guest: Actor;
  souls: { open: number; own: number; gated: number; ofOther: number; fork: number };
  /** Rooms of the leaver: a public and a private one, of the other's soul. */
  rooms: {
    open: RoomName;
    own: RoomName;
    ofOther: RoomName;
    copy: RoomName;
    ofLeaversSoul: RoomName;
  };
  share: string;
  invite: string;
}

const ok = async (answer: Promise<{ status: number; text: string; body: unknown }>) => {
  const { status, text, body } = await answer;
  if (status !== 200) throw new Error(`${status} ${text}`);
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses of every shape
  return body as any;
};

/** Makes the world of a deletion, through the REST API. */
export async function makeDeletionWorld(hub: ChatHub): Promise<DeletionWorld> {
  const leaver = await hub.vip(NAME);
  const other = await hub.vip("ben");
  const guest = hub.guest();
  const open = (await openRoom(leaver, { title: "A kept soul" })).soul_id;
  await ok(leaver.put(`/api/soul/${open}`, { content: "A second state.", is_public: 0 }));
  await ok(leaver.put(`/api/soul/${open}`, { content: "A third state.", is_public: 1 }));
  const own = (await openRoom(leaver, { title: "A private soul", is_public: 0 })).soul_id;
  const gated = (await openRoom(leaver, { title: "Third" })).soul_id;
  const ofOther = (await openRoom(other, { title: "Of Ben" })).soul_id;
  const fork = (await ok(other.post("/api/fork", { soul_id: open }))).new_soul_id;
  await ok(leaver.post("/api/like", { soul_id: ofOther }));
  await ok(leaver.post("/api/rate", { soul_id: ofOther, rating: 1 }));
  await ok(other.post("/api/rate", { soul_id: ofOther, rating: 5 }));
  await ok(other.post("/api/like", { soul_id: open }));
  const room = (soul_id: number, session_token: string) => ({ soul_id, session_token });
  const rooms = {
    open: room(ofOther, "public-of-leaver"),
    own: room(ofOther, "private-of-leaver"),
    ofOther: room(ofOther, "of-other"),
    copy: room(ofOther, "copy-of-other"),
    ofLeaversSoul: room(open, "of-other-too"),
  };
  await ok(say(leaver, rooms.open, `${TEXT} and left.`));
  await ok(say(other, rooms.open, "Was it dry?"));
  await ok(say(leaver, rooms.own, `${TEXT}, alone.`, { is_private: true }));
  await ok(say(other, rooms.ofOther, "Who was here?"));
  await ok(say(leaver, rooms.ofOther, `${TEXT}, I said.`));
  const lines = (await ok(other.get(withQuery("/api/chat", { ...rooms.ofOther })))).messages;
  const said = lines.find((line: { content: string }) => line.content.includes(TEXT));
  await ok(
    leaver.put("/api/message", { ...rooms.ofOther, id: said.id, content: `${TEXT}, once.` }),
  );
  const reaction = { ...rooms.ofOther, id: lines[0].id, emoji: "👍", on: true };
  await ok(leaver.put("/api/reaction", reaction));
  await ok(other.put("/api/reaction", { ...reaction, id: said.id }));
  await ok(
    other.post("/api/room-copy", { ...rooms.ofOther, new_session_token: rooms.copy.session_token }),
  );
  await ok(say(other, rooms.ofLeaversSoul, "Hello."));
  const share = (await ok(leaver.post("/api/shares", { ...rooms.open, with_names: true })))
    .share_id;
  const { invite } = await ok(leaver.post("/api/room-invites", { ...rooms.own, uses: 3, days: 1 }));
  await ok(leaver.post("/api/keys", { name: "laptop", scopes: ["chat"], password: PASSWORD }));
  await ok(hub.guest().post("/api/login", { username: NAME, password: PASSWORD, remember: true }));
  await ok(other.put("/api/blocks", { username: NAME }));
  await ok(other.delete(`/api/blocks?username=${NAME}`));
  await ok(leaver.put("/api/blocks", { username: "ben" }));
  await ok(leaver.delete("/api/blocks?username=ben"));
  return {
    leaver,
    other,
    guest,
    souls: { open, own, gated, ofOther, fork },
    rooms,
    share,
    invite,
  };
}

/** The paths of every GET that shows a part of the world. */
function paths({ souls, rooms, share }: DeletionWorld): string[] {
  const ofSouls = Object.values(souls).flatMap((soul_id) => [
    `/api/soul/${soul_id}`,
    `/soul/${soul_id}`,
    `/soul/${soul_id}.md`,
    withQuery("/api/versions", { soul_id }),
    withQuery("/api/version", { soul_id, number: 1 }),
    withQuery("/api/my-marks", { soul_id }),
    `/api/soul/${soul_id}/export`,
  ]);
  const ofRooms = Object.values(rooms).flatMap((room) => [
    withQuery("/api/chat", { ...room }),
    withQuery("/api/room", { ...room }),
    withQuery("/api/chat-export", { ...room, format: "json" }),
    withQuery("/api/room-invites", { ...room }),
    withQuery("/api/room-people", { ...room }),
    withQuery("/api/room-summary", { ...room }),
    withQuery("/api/shares", { ...room }),
  ]);
  return [
    ...ofSouls,
    ...ofRooms,
    ...["/api/me", "/api/keys", "/api/sessions", "/api/my-chats", "/api/blocks", "/api/byok"],
    ...["/api/chat-quota", "/api/souls", "/api/souls?sort=popular", "/api/souls?q=kept"],
    ...[`/api/profile?username=${NAME}`, `/u/${NAME}`, `/api/share/${share}`, "/api/my-souls"],
    ...["/api/categories", "/sitemap.xml", "/api/chat-search?q=sundial", "/api/apps", "/api/hub"],
  ];
}

/** Everything that the three callers read, by caller and path. */
export async function everyAnswer(world: DeletionWorld): Promise<Record<string, string>> {
  const answers: Record<string, string> = {};
  const callers = { leaver: world.leaver, other: world.other, guest: world.guest };
  for (const [who, actor] of Object.entries(callers)) {
    for (const path of paths(world)) {
      const { status, headers, text } = await actor.get(path);
      const body = text.replace(/"request_id":"[^"]*"/, "");
      answers[`${who} ${path}`] = `${status} ${headers.get("etag")} ${body}`;
    }
  }
  return answers;
}

/** All files of an actor's archive, as one text. */
export async function archiveText(hub: ChatHub, actor: Actor): Promise<string> {
  const bytes = await downloadArchive(hub, actor);
  const entries = await readZip(bytes, { maxEntries: 5_000, maxBytes: 2 ** 27 });
  return entries
    .map(({ path, bytes: content }) => `${path}\n${Buffer.from(content).toString("utf8")}`)
    .join("\n");
}
