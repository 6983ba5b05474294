import { readZip } from "@soul-hub/soul-formats";
import { sql } from "kysely";
import type { Actor, Answer } from "../testing/actor.ts";
import { type ChatHub, openRoom, type RoomName, say } from "../testing/chat-hub.ts";
import { mcpClient } from "./mcp/mcp-client.fixture.ts";

/** What an account owns, each with a word that occurs nowhere else. */
export interface OwnThings {
  hub: ChatHub;
  /** The room of a private soul. */
  closed: RoomName;
  /** A room of somebody else's public soul. */
  open: RoomName;
}

/** Gives an account data of each kind. */
export async function giveOwnThings(hub: ChatHub, owner: Actor): Promise<OwnThings> {
  const ben = await hub.vip("ben");
  const closed = await openRoom(owner, { title: "Cellar", content: "quince", is_public: 0 });
  await say(owner, closed, "Is the walnut ripe?");
  const open = await openRoom(ben, { title: "Orchard" });
  await say(owner, open, "Is the medlar ripe?");
  const liked = await openRoom(ben, { title: "Damson" });
  await owner.post("/api/like", { soul_id: liked.soul_id });
  // A soul that is not listed is on the shelf of those alone who like it.
  const { db } = hub.hub.database;
  await sql`update souls set is_listed = false where id = ${liked.soul_id}`.execute(db);
  return { hub, closed, open };
}

/** The text that a key got, or the scope that it lacks: empty where no named key may ask. */
export type GatheredAnswer = { text: string } | { lacks: string };

/** A part of an answer that contains data of an account. */
export interface GatheredPart {
  endpoint: string;
  part: string;
  /** The endpoints whose scopes the request needs: its own, and those of all parts asked for. */
  refusesWithout: readonly string[];
  /** The endpoints whose scopes the part needs in a list that leaves out such parts. */
  leavesOutWithout?: readonly string[];
  ask(key: Actor, own: OwnThings): Promise<GatheredAnswer>;
  /** A text that the answer contains with this part alone. */
  holds: RegExp;
}

/** The failures of `/v1` have a shape of their own. */
const outcomeOf = ({ body, text }: Answer): GatheredAnswer => {
  const { error, scope } = body?.error?.code
    ? { error: body.error.code, scope: body.error.scope }
    : (body ?? {});
  return error === "scope_missing" ? { lacks: scope ?? "" } : { text };
};

const get =
  (path: string) =>
  async (key: Actor): Promise<GatheredAnswer> =>
    outcomeOf(await key.get(path));

/** Downloads an archive. Its text is that of all of its files. */
const download =
  (include?: string) =>
  async (key: Actor, { hub }: OwnThings): Promise<GatheredAnswer> => {
    const query = include === undefined ? "" : `?include=${include}`;
    const response = await fetch(`${hub.url}/api/export${query}`, {
      headers: { authorization: `Bearer ${key.apiKey}` },
    });
    if (!response.ok) return { lacks: ((await response.json()) as { scope: string }).scope };
    const bytes = new Uint8Array(await response.arrayBuffer());
    const files = await readZip(bytes, { maxEntries: 1_000, maxBytes: 2 ** 26 });
    const texts = files.map((file) => `${file.path}\n${Buffer.from(file.bytes).toString()}`);
    return { text: texts.join("\n") };
  };

type Mcp = Awaited<ReturnType<typeof mcpClient>>;

/** Asks `/mcp` with the stock client, which throws the refusals of requests. */
const overMcp =
  (ask: (mcp: Mcp, own: OwnThings) => Promise<unknown>) =>
  async (key: Actor, own: OwnThings): Promise<GatheredAnswer> => {
    await using mcp = await mcpClient(own.hub, key);
    const text = await ask(mcp, own).then((result) => JSON.stringify(result), String);
    const [, lacks] = /lacks the scope (\S+)\./.exec(text) ?? [];
    return lacks === undefined ? { text } : { lacks };
  };

const tool = (name: string, args: (own: OwnThings) => object) =>
  overMcp((mcp, own) => mcp.call(name, args(own)));

// The endpoints of the data alone.
const PRIVATE_SOULS = "GET /my-souls";
const ROOMS = "GET /my-chats";
const MARKS = "GET /my-marks";
const archive = ["GET /export", "GET /me", "GET /byok"];
const cellarSoul = /Cellar/;

/** Every endpoint that gathers data of several slices, with each of its parts. */
export const gatheredParts: readonly GatheredPart[] = [
  {
    endpoint: "GET /export",
    part: "`include=souls`",
    refusesWithout: [...archive, PRIVATE_SOULS],
    ask: download("souls"),
    holds: /quince/,
  },
  {
    endpoint: "GET /export",
    part: "`include=chats`",
    refusesWithout: [...archive, ROOMS],
    ask: download("chats"),
    holds: /medlar/,
  },
  {
    endpoint: "GET /export",
    part: "`include=chats`, rooms of private souls",
    refusesWithout: [...archive, ROOMS],
    leavesOutWithout: [PRIVATE_SOULS],
    ask: download("chats"),
    holds: /walnut/,
  },
  {
    endpoint: "GET /export",
    part: "`include=social`",
    refusesWithout: [...archive, MARKS],
    ask: download("social"),
    holds: /likes\.ndjson\n\{"soul_id"/,
  },
  {
    endpoint: "GET /export",
    part: "without `include`",
    refusesWithout: [...archive, PRIVATE_SOULS, ROOMS, MARKS],
    ask: download(),
    holds: /quince/,
  },
  {
    endpoint: "POST /import",
    part: "every part",
    refusesWithout: ["POST /import"],
    ask: async (key) =>
      outcomeOf(await key.send("POST", "/api/import", "x", { "content-type": "application/zip" })),
    holds: /import_invalid/,
  },
  {
    endpoint: "GET /my-chats",
    part: "rooms of public souls",
    refusesWithout: [ROOMS],
    ask: get("/api/my-chats"),
    holds: /Orchard/,
  },
  {
    endpoint: "GET /my-chats",
    part: "rooms of private souls",
    refusesWithout: [ROOMS],
    leavesOutWithout: [PRIVATE_SOULS],
    ask: get("/api/my-chats"),
    holds: cellarSoul,
  },
  {
    endpoint: "GET /chat-search",
    part: "rooms of public souls",
    refusesWithout: ["GET /chat-search", ROOMS],
    ask: get("/api/chat-search?q=ripe"),
    holds: /medlar/,
  },
  {
    endpoint: "GET /chat-search",
    part: "rooms of private souls",
    refusesWithout: ["GET /chat-search", ROOMS],
    leavesOutWithout: [PRIVATE_SOULS],
    ask: get("/api/chat-search?q=ripe"),
    holds: /walnut/,
  },
  ...(
    [
      ["GET /v1/models", ["GET /v1/models"], get("/v1/models")],
      ["MCP `resources/list`", [], overMcp(({ client }) => client.listResources())],
      ["MCP `prompts/list`", [], overMcp(({ client }) => client.listPrompts())],
    ] as const
  ).flatMap(([endpoint, itself, ask]): GatheredPart[] => [
    {
      endpoint,
      part: "popular souls",
      refusesWithout: [...itself, "GET /souls"],
      ask,
      holds: /Orchard/,
    },
    {
      endpoint,
      part: "own private souls",
      refusesWithout: itself,
      leavesOutWithout: [PRIVATE_SOULS],
      ask,
      holds: cellarSoul,
    },
    {
      endpoint,
      part: "liked souls",
      refusesWithout: itself,
      leavesOutWithout: [MARKS],
      ask,
      holds: /Damson/,
    },
  ]),
  {
    endpoint: "MCP `resources/read`",
    part: "a private soul",
    refusesWithout: [PRIVATE_SOULS],
    ask: overMcp((mcp, { closed }) => mcp.read(`soul-hub://soul/${closed.soul_id}`)),
    holds: /quince/,
  },
  {
    endpoint: "MCP `prompts/get`",
    part: "a private soul",
    refusesWithout: [PRIVATE_SOULS],
    ask: overMcp(({ client }, { closed }) => client.getPrompt({ name: `x-${closed.soul_id}` })),
    holds: /quince/,
  },
  {
    endpoint: "MCP `search_souls`",
    part: "with `mine`",
    refusesWithout: [PRIVATE_SOULS],
    ask: tool("search_souls", () => ({ mine: true })),
    holds: cellarSoul,
  },
  {
    endpoint: "MCP `read_soul`",
    part: "a private soul",
    refusesWithout: [PRIVATE_SOULS],
    ask: tool("read_soul", ({ closed }) => ({ soul_id: closed.soul_id })),
    holds: /quince/,
  },
  {
    endpoint: "MCP `read_room`",
    part: "a room of a public soul",
    refusesWithout: ["GET /chat"],
    ask: tool("read_room", ({ open }) => open),
    holds: /medlar/,
  },
  {
    endpoint: "MCP `read_room`",
    part: "a room of a private soul",
    refusesWithout: ["GET /chat", PRIVATE_SOULS],
    ask: tool("read_room", ({ closed }) => closed),
    holds: /walnut/,
  },
];
