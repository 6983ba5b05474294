import { expect, it } from "vitest";
import type { Actor, Answer } from "../../testing/actor.ts";
import { history, type RoomName, say, sync } from "../../testing/chat-hub.ts";
import { describeChat } from "../../testing/describe-chat.ts";
import type { SeenRequest } from "../../testing/openai-server.ts";
import { seeded } from "../../testing/random-numbers.ts";
import { testDatabases } from "../../testing/test-database.ts";
import { openSharedRoom, type SharedRoom } from "../addressing/several-souls.fixture.ts";
import { switchTo } from "../tree/tree.fixture.ts";

const STEPS = 500;
const CANARY = "canary";

interface Line {
  id: number;
  role: "user" | "assistant";
  audience?: "people";
  sender_name: string;
}

const isFold = ({ model }: SeenRequest) => model === "summary-model";
const options = {
  databases: testDatabases(),
  routes: { summary: "openai-compatible:summary-model" },
  provider: { reply: (request: SeenRequest) => (isFold(request) ? "A summary." : "Go on.") },
};

/** 0041: the text of an off-record message is in no request to a provider. */
describeChat("off-record messages", options, (hub) => {
  it(`reach no provider in ${STEPS} random steps`, async () => {
    const seed = Math.floor(Math.random() * 2 ** 31);
    const next = seeded(seed);
    const random = (below: number) => Math.floor(next() * below);
    const pick = <T>(all: readonly T[]): T => all[random(all.length)] as T;
    const owner = await hub.vip("vera");
    const people = [owner, await hub.vip("ben")];
    for (const actor of people) await hub.pass(actor, "pro");
    const shared = await openSharedRoom(owner, owner);
    const { room } = shared;
    const done = new Map<string, number>();
    let secrets = 0;
    for (let n = 0; n < STEPS; n++) {
      const { messages } = (await history(owner, room, { limit: 60 })).body;
      const step = pick(steps);
      const secret = () => `${CANARY}-${++secrets}`;
      const world: World = { room, shared, owner, actor: pick(people), messages, pick, secret, n };
      const { status } = await step.run(world);
      // A random step may be refused. No step may break.
      expect(status, `seed ${seed}, step ${n}: ${step.name}`).toBeLessThan(500);
      if (status === 200) done.set(step.name, (done.get(step.name) ?? 0) + 1);
    }
    expect([...done.keys()].sort(), `seed ${seed}`).toEqual(
      [...new Set(steps.map(({ name }) => name))].sort(),
    );
    const leaks = hub.provider.requests.filter(({ body }) => JSON.stringify(body).includes(CANARY));
    expect(leaks, `seed ${seed}`).toEqual([]);
    expect(hub.provider.requests.some(isFold), `seed ${seed}: no fold`).toBe(true);
    const { body } = await sync(owner, room);
    expect(JSON.stringify(body.new_messages), `seed ${seed}`).toContain(CANARY);
  });
});

interface World {
  room: RoomName;
  shared: SharedRoom;
  owner: Actor;
  /** The person who acts in this step. */
  actor: Actor;
  /** The newest messages of the log. */
  messages: Line[];
  pick: <T>(all: readonly T[]) => T;
  /** Returns a new text that no provider may see. */
  secret: () => string;
  n: number;
}

interface Step {
  name: string;
  run: (world: World) => Promise<Answer>;
}

const step = (name: string, run: Step["run"], weight = 1): Step[] =>
  Array.from({ length: weight }, () => ({ name, run }));

const secretsOf = ({ messages, actor }: World): Line[] => {
  const own = messages.filter(
    ({ audience, sender_name }) => audience === "people" && sender_name === actor.name,
  );
  return own.length > 0 ? own : messages;
};

const steps: readonly Step[] = [
  ...step(
    "say off the record",
    ({ actor, room, secret }) => actor.post("/api/say", { ...room, content: secret() }),
    4,
  ),
  ...step("say on the record", ({ actor, room, n }) =>
    actor.post("/api/say", { ...room, content: `Aside ${n}.`, off_record: false }),
  ),
  ...step("send", ({ actor, room, n }) => say(actor, room, `Line ${n}.`), 4),
  ...step("mention", ({ actor, room, n }) => say(actor, room, `@ben @cara, line ${n}?`), 2),
  ...step("edit off the record", (world) => {
    const { id } = world.pick(secretsOf(world));
    const { audience } = world.messages.find((line) => line.id === id) ?? {};
    // An edit keeps the audience. Only an off-record message may gain a secret.
    const content = audience === "people" ? world.secret() : "Edited.";
    return world.actor.put("/api/message", { ...world.room, id, content });
  }),
  ...step("regenerate", ({ actor, room, messages, pick }) =>
    say(actor, room, "", { regenerate: pick(messages).id }),
  ),
  ...step("branch", ({ actor, room, messages, pick, n }) =>
    say(actor, room, `Branch ${n}.`, { parent_id: pick(messages).id }),
  ),
  ...step("switch the path", ({ owner, room, messages, pick }) =>
    switchTo(owner, room, pick([null, ...messages.map(({ id }) => id)])),
  ),
  ...step("remove", ({ owner, room, messages, pick }) => {
    const query = new URLSearchParams({
      soul_id: String(room.soul_id),
      session_token: room.session_token,
      id: String(pick(messages).id),
    });
    return owner.delete(`/api/message?${query}`);
  }),
  ...step("go back to a summary", async ({ owner, room, pick }) => {
    const query = new URLSearchParams({
      soul_id: String(room.soul_id),
      session_token: room.session_token,
    });
    const { history: kept } = (await owner.get(`/api/room-summary?${query}`)).body.data;
    const version = kept.length > 0 ? pick<{ version: number }>(kept).version : 1;
    return owner.post("/api/room-summary", { ...room, version });
  }),
  ...step("change who answers", ({ shared, pick }) =>
    shared.set({ answers: pick(["always", "always", "addressed"]) }),
  ),
];
