import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { archiveText } from "../../account-deletion/account-deletion.fixture.ts";
import { actOn, staffOf } from "../../moderation/staff.fixture.ts";
import type { Actor, Answer } from "../../testing/actor.ts";
import { history, openRoom, type RoomName, say, sayOnPage, sync } from "../../testing/chat-hub.ts";
import { eventually } from "../../testing/eventually.ts";
import { type GatedHub, NFT, startGatedHub } from "../../testing/gated-hub.ts";
import { failureCode, openSocket } from "../../testing/live-visitor.ts";
import { mcpClient } from "../../transport/mcp/mcp-client.fixture.ts";

type Person = "owner" | "member" | "writer" | "guest who wrote" | "stranger" | "strange guest";
const people: Person[] = [
  "owner",
  "member",
  "writer",
  "guest who wrote",
  "stranger",
  "strange guest",
];

/** One public room of another person's soul, which has become unavailable. */
interface World {
  hub: GatedHub;
  room: RoomName;
  actors: Record<Person, Actor>;
  /** Returns the id of a line that the person has written and not removed, else of another one's. */
  ownLine: (person: Person) => number;
}

/** Each way to a withdrawn soul's room, and the state that its people see. */
const states = {
  private: (author: Actor, { soul_id }: RoomName) =>
    author.put(`/api/soul/${soul_id}`, { is_public: 0, title: "A new title", content: "Secret." }),
  gated: (author: Actor, { soul_id }: RoomName) =>
    author.put(`/api/soul/${soul_id}`, { nft_contract: NFT, content: "Secret." }),
  deleted: (author: Actor, { soul_id }: RoomName) => author.delete(`/api/soul/${soul_id}`),
} as const;
type State = keyof typeof states | "hidden by staff";

const outcomeOf = ({ status, body }: Answer): string =>
  status === 200 ? "yes" : String(body?.error?.data?.error ?? body?.error?.code ?? body?.error);
const line = ({ soul_id, session_token }: RoomName, id: number) =>
  `/api/message?soul_id=${soul_id}&session_token=${session_token}&id=${id}`;
const query = (actor: Actor, name: string, input: object) =>
  actor.get(`/trpc/${name}?input=${encodeURIComponent(JSON.stringify(input))}`);

type Use = (world: World, person: Person) => Promise<string>;
type Client = ReturnType<typeof openSocket>["client"];

/** Calls a procedure over a WebSocket. */
async function onSocket({ hub, actors }: World, who: Person, call: (client: Client) => unknown) {
  await using socket = openSocket(hub, actors[who]);
  return await Promise.resolve(call(socket.client)).then(() => "yes", failureCode);
}

/** Subscribes to the room, and waits for its `sync` event or the end. */
async function live({ hub, actors, room }: World, who: Person) {
  await using socket = openSocket(hub, actors[who]);
  const visitor = socket.join(room);
  // Without `await`, the socket would close at once.
  return await eventually(() => {
    expect(visitor.endedBy ?? visitor.types).toContain(visitor.endedBy ?? "sync");
    return visitor.endedBy ?? "yes";
  });
}

/** Calls a tool with the person's key. A guest of a browser has none. */
async function mcp({ hub, actors }: World, who: Person, tool: string, args: object) {
  if (!actors[who].apiKey) return "unauthenticated";
  await using client = await mcpClient(hub, actors[who]);
  const refusal = await client.refusal(tool, args);
  return refusal === "no error" ? "yes" : refusal;
}

const found = (answer: Answer, { room }: World): string => {
  if (answer.status !== 200) return outcomeOf(answer);
  const results: RoomName[] = (answer.body.data ?? answer.body.result.data.data).results;
  return results.some((it) => it.session_token === room.session_token) ? "yes" : "left out";
};

/** An action over REST, over tRPC, and over a WebSocket by the same procedure. */
const uses: Record<string, Record<string, Use>> = {
  read: {
    REST: async ({ actors, room }, who) => outcomeOf(await history(actors[who], room)),
    tRPC: async ({ actors, room }, who) =>
      outcomeOf(await query(actors[who], "chat.history", room)),
    WebSocket: (world, who) => live(world, who),
    MCP: (world, who) => mcp(world, who, "read_room", world.room),
  },
  sync: {
    REST: async ({ actors, room }, who) => outcomeOf(await sync(actors[who], room)),
    tRPC: async ({ actors, room }, who) => outcomeOf(await query(actors[who], "rooms.sync", room)),
    WebSocket: (world, who) =>
      onSocket(world, who, (client) => client.rooms.sync.query(world.room)),
  },
  search: {
    REST: async (world, who) =>
      found(await world.actors[who].get("/api/chat-search?q=lamplight"), world),
    tRPC: async (world, who) =>
      found(await query(world.actors[who], "chat.search", { q: "lamplight" }), world),
  },
  export: {
    REST: async ({ actors, room }, who) =>
      outcomeOf(await query(actors[who], "chat.export", { ...room, format: "json" })),
  },
  archive: {
    REST: async ({ hub, actors, room }, who) => {
      if (!actors[who].apiKey) return outcomeOf(await actors[who].get("/api/export"));
      const text = await archiveText(hub, actors[who]);
      return text.includes(room.session_token) ? "yes" : "left out";
    },
  },
  "remove own line": {
    REST: async ({ actors, room, ownLine }, who) =>
      outcomeOf(await actors[who].delete(line(room, ownLine(who)))),
    WebSocket: (world, who) =>
      onSocket(world, who, (client) =>
        client.chat.remove.mutate({ ...world.room, id: world.ownLine(who) }),
      ),
  },
  talk: {
    REST: async ({ actors, room }, who) => outcomeOf(await say(actors[who], room, "Still there?")),
    tRPC: async ({ actors, room }, who) =>
      outcomeOf(await sayOnPage(actors[who], room, "Still there?")),
    "/v1": async ({ actors, room }, who) =>
      outcomeOf(
        await actors[who].post("/v1/chat/completions", {
          model: `soul-${room.soul_id}`,
          messages: [{ role: "user", content: "Still there?" }],
          metadata: { session_token: room.session_token },
        }),
      ),
    MCP: (world, who) =>
      mcp(world, who, "talk_to_soul", { ...world.room, message: "Still there?" }),
  },
  "delete room": {
    REST: async ({ actors, room: { soul_id, session_token } }, who) =>
      outcomeOf(
        await actors[who].delete(`/api/room?soul_id=${soul_id}&session_token=${session_token}`),
      ),
  },
};

/** The transport knows no such caller. */
const NO_CREDENTIAL = new Set(["unauthenticated", "invalid_api_key"]);
const allStates: State[] = ["private", "gated", "deleted", "hidden by staff"];
/** The people who take part in the room: the conversation is theirs. */
const takesPart = (who: Person) => !who.startsWith("strange");

/** Fills a public room of another person's soul, and withdraws the soul. */
async function makeWorld(hub: GatedHub, state: State, staff: Actor): Promise<World> {
  const id = state.replaceAll(" ", "-");
  const author = await hub.vip(`author-${id}`);
  const room = { ...(await openRoom(author, { title: "Keeper" })), session_token: `room-${id}` };
  const guest = hub.guest();
  await guest.get("/api/chat-quota");
  const strangeGuest = hub.guest();
  await strangeGuest.get("/api/chat-quota");
  const actors: World["actors"] = {
    owner: await hub.vip(`owner-${id}`),
    member: await hub.vip(`member-${id}`),
    writer: await hub.vip(`writer-${id}`),
    "guest who wrote": guest,
    stranger: await hub.vip(`stranger-${id}`),
    "strange guest": strangeGuest,
  };
  const written = new Map<Person, number[]>();
  for (const who of ["owner", "writer", "guest who wrote"] as const) {
    for (let nth = 0; nth < 3; nth++) {
      const before = await sync(actors[who], room);
      const { status } = await sayOnPage(actors[who], room, "There is lamplight.");
      expect([who, status]).toEqual([who, 200]);
      const { body } = await sync(actors[who], room, { last_id: before.body.head });
      written.set(who, [...(written.get(who) ?? []), body.new_messages[0].id]);
    }
  }
  const member = { ...room, username: `member-${id}`, state: "member" };
  expect((await actors.owner.put("/api/room-people", member)).status).toBe(200);
  if (state === "hidden by staff") {
    await actOn(staff, { kind: "soul", soul_id: room.soul_id }, "hide_soul");
  } else expect((await states[state](author, room)).status).toBe(200);
  const [firstLine = 0] = written.get("owner") ?? [];
  const ownLine = (who: Person) => written.get(who)?.pop() ?? firstLine;
  return { hub, room, actors, ownLine };
}

/** What each person gets for each action, over each transport. */
async function tryAll(world: World) {
  const table = new Map<string, Record<string, Record<string, string>>>(
    people.map((who) => [who, {}]),
  );
  for (const [action, transports] of Object.entries(uses)) {
    // The owner comes last, because its deletion of the room ends all other rights.
    for (const who of people.toReversed()) {
      const row: Record<string, string> = {};
      for (const [transport, use] of Object.entries(transports)) {
        row[transport] = await use(world, who);
      }
      Object.assign(table.get(who) ?? {}, { [action]: row });
    }
  }
  return table;
}

/** Whether an action is allowed, where its transport knows the caller. */
function isAllowed(state: State, who: Person, action: string): boolean {
  if (!takesPart(who) || action === "talk") return false;
  if (action === "remove own line" && who === "member") return false;
  if (action === "delete room") return who === "owner";
  // The archive then holds the person's own lines.
  if (state === "hidden by staff") return action === "archive" && who !== "member";
  return action !== "archive" || who !== "member";
}

const HEAD = `# Withdrawn souls

This table shows who may do what in a public room after its soul became unavailable. Another account is
the soul's author. The owner began the room, the member has not written. A test makes each call over the
transports in brackets. \`pnpm test withdrawn-souls -u\` rewrites this file.
`;

/** Groups the transports of a cell by their outcome. */
function toCell(transports: Record<string, string>): string {
  const byOutcome = Object.groupBy(Object.entries(transports), ([, outcome]) => outcome);
  return Object.entries(byOutcome)
    .map(([outcome, all = []]) => `${outcome} (${all.map(([name]) => name).join(", ")})`)
    .join("<br>");
}

function toDocument(tables: ReadonlyMap<State, Awaited<ReturnType<typeof tryAll>>>): string {
  const actions = Object.keys(uses);
  const rows = [...tables].flatMap(([state, table]) =>
    [...table].map(([who, row]) => [state, who, ...actions.map((name) => toCell(row[name] ?? {}))]),
  );
  const lines = [["soul", "person", ...actions], Array(actions.length + 2).fill("---"), ...rows];
  return `${HEAD}\n${lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n")}\n`;
}

/** Rooms of a soul that its author or the hub's staff have withdrawn (0076). */
describe("access to a room of a withdrawn soul", () => {
  let hub: GatedHub;
  const tables = new Map<State, Awaited<ReturnType<typeof tryAll>>>();
  const worlds = new Map<State, World>();

  beforeAll(async () => {
    hub = await startGatedHub();
    const staff = await staffOf(hub, "mona");
    for (const state of allStates) worlds.set(state, await makeWorld(hub, state, staff));
    for (const [state, world] of worlds) tables.set(state, await tryAll(world));
  });
  afterAll(() => hub.close());

  it.each(allStates)("%s", (state) => {
    for (const [who, row] of tables.get(state) ?? []) {
      for (const [action, transports] of Object.entries(row)) {
        const allowed = isAllowed(state, who as Person, action);
        const where = `${who}, ${action}`;
        for (const outcome of Object.values(transports)) {
          if (NO_CREDENTIAL.has(outcome)) continue;
          expect([where, outcome === "yes"]).toEqual([where, allowed]);
        }
      }
    }
  });

  it("is summed up in docs/withdrawn-souls.md", async () => {
    await expect(toDocument(tables)).toMatchFileSnapshot("../../../../../docs/withdrawn-souls.md");
  });
});
