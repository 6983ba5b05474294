import { beforeAll, expect, it } from "vitest";
import { setRestriction } from "../accounts/standing/standing.queries.ts";
import type { Restriction } from "../caller/restriction.schema.ts";
import type { Actor } from "../testing/actor.ts";
import { openRoom, type RoomName, say, sync } from "../testing/chat-hub.ts";
import { describeHub } from "../testing/describe-chat.ts";
import { failureCode, joinAs, openSocket } from "../testing/live-visitor.ts";
import { PASSWORD } from "../testing/test-hub.ts";
import { callProcedure, everyProcedure, refusalOf } from "./every-procedure.fixture.ts";
import { mcpClient } from "./mcp/mcp-client.fixture.ts";

const why: Restriction = { until: null, reason: "spam", decision_id: 7 };
const refusal = { status: 403, error: "account_suspended", ...why };

/** Suspended and silenced accounts on every transport (0057). */
describeHub("restricted accounts", {}, (hub) => {
  let room: RoomName;
  let suspended: Actor;
  let silenced: Actor;
  const db = () => hub.hub.database.db;
  const idOf = async ({ name }: Actor) => {
    const found = db().selectFrom("accounts").select("id").where("username", "=", name);
    return (await found.executeTakeFirstOrThrow()).id;
  };

  beforeAll(async () => {
    room = await openRoom(await hub.vip("vera"));
    [suspended, silenced] = [await hub.vip("sue"), await hub.vip("sil")];
    await setRestriction(db(), await idOf(suspended), "suspension", why);
    await setRestriction(db(), await idOf(silenced), "silence", why);
  });

  const ofUsers = everyProcedure
    .filter(({ access }) => access !== "admin" && access !== "staff")
    .filter(({ access }) => access !== "adminOrOperator")
    .map((one) => [one.name, one] as const);

  it.each(ofUsers)("may call %s only as its meta says", async (_, procedure) => {
    for (const answer of await callProcedure(suspended, procedure)) {
      if (procedure.whileSuspended) expect(answer.text).not.toContain("account_suspended");
      // tRPC answers a refused subscription with 200, and sends the error as an event.
      else if (procedure.type === "subscription") expect(answer.text).toContain(`"decision_id":7`);
      else expect(refusalOf(answer)).toMatchObject(refusal);
    }
    // The access matrix calls the rest as a silenced account.
    if (!procedure.writes) return;
    for (const answer of await callProcedure(silenced, procedure)) {
      expect(refusalOf(answer)).toMatchObject(refusal);
    }
  });

  it("of the staff may do nothing either", async () => {
    const amy = await hub.member("amy");
    const id = await idOf(amy);
    await db().updateTable("accounts").set({ role: "admin" }).where("id", "=", id).execute();
    expect((await amy.get("/api/admin/invites")).status).toBe(200);
    await setRestriction(db(), id, "suspension", why);
    const ofStaff = everyProcedure.filter(({ access }) => access?.match(/staff|adminOr/));
    for (const procedure of ofStaff) {
      const answers = await callProcedure(amy, procedure);
      expect(answers.map(refusalOf)).toEqual(answers.map(() => expect.objectContaining(refusal)));
    }
  });

  it("stop what publishes texts", () => {
    const names = ofUsers.filter(([, { writes }]) => writes).map(([name]) => name);
    expect(names).toEqual(
      expect.arrayContaining([
        ...["souls.publish", "souls.update", "souls.import", "social.fork", "social.rate"],
        ...["chat.send", "chat.say", "chat.edit", "chat.react", "rooms.set", "rooms.invite"],
      ]),
    );
  });

  it("are refused at /v1 and /mcp", async () => {
    const models = await suspended.get("/v1/models");
    expect([models.status, models.body.error.code]).toEqual([403, "account_suspended"]);
    const chat = { model: "any", messages: [{ role: "user", content: "Hi" }] };
    for (const actor of [suspended, silenced]) {
      const { status, body } = await actor.post("/v1/chat/completions", chat);
      expect([status, body.error.code]).toEqual([403, "account_suspended"]);
    }
    await expect(mcpClient(hub, suspended)).rejects.toThrow("HTTP 403");
    await using mcp = await mcpClient(hub, silenced);
    const talk = { soul_id: room.soul_id, message: "Hi" };
    expect(await mcp.refusal("talk_to_soul", talk)).toBe("account_suspended");
    expect((await mcp.call("read_soul", { soul_id: room.soul_id })).text).not.toBe("");
  });

  it("are refused over a WebSocket, at each call", async () => {
    await using socket = openSocket(hub, suspended);
    const visitor = socket.join(room);
    await expect.poll(() => visitor.endedBy).toBe("account_suspended");
    const listing = socket.client.souls.list.query({}).then(() => "no error", failureCode);
    expect(await listing).toBe("account_suspended");
  });

  it.each(["socket", "SSE", "poll"])("lose a running subscription: %s", async (transport) => {
    const ida = await hub.vip(`ida-${transport}`.toLowerCase());
    const ends = { socket: bySocket, SSE: bySse, poll: byPoll }[transport];
    const ended = await ends?.(ida);
    await setRestriction(db(), await idOf(ida), "suspension", why);
    hub.hub.rooms.recheckAll({ participantId: `account:${await idOf(ida)}` });
    expect(await ended?.()).toContain("account_suspended");
  });
  const bySocket = async (actor: Actor) => {
    const visitor = joinAs(hub, actor, room);
    await expect.poll(() => visitor.types).toContain("sync");
    return async () => {
      await expect.poll(() => visitor.endedBy).toBeDefined();
      await visitor.close();
      return visitor.endedBy;
    };
  };
  const bySse = async (actor: Actor) => {
    const input = encodeURIComponent(JSON.stringify(room));
    const headers = { accept: "text/event-stream", authorization: `Bearer ${actor.apiKey}` };
    const response = await fetch(`${hub.url}/trpc/rooms.live?input=${input}`, { headers });
    const events = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    const readUntil = async (word: string) => {
      while (!text.includes(word)) {
        const { done, value } = (await events?.read()) ?? { done: true };
        if (done) break;
        text += value;
      }
      return text;
    };
    await readUntil('"sync"');
    return async () => {
      const found = await readUntil("account_suspended");
      await events?.cancel();
      return found;
    };
  };
  const byPoll = async (actor: Actor) => {
    const waiting = sync(actor, room, { last_id: 0, wait: 25 });
    await expect.poll(() => hub.hub.rooms.waits()).toHaveLength(1);
    return async () => (await waiting).text;
  };

  it("sign in with the password, read why, and log out", async () => {
    const browser = hub.guest();
    const login = { username: "sue", password: PASSWORD, remember: true };
    expect((await browser.post("/api/login", login)).status).toBe(200);
    const { body } = await browser.get("/api/me");
    expect(body.user.moderation).toEqual({ state: "suspended", ...why });
    expect((await browser.get("/api/souls")).status).toBe(403);
    expect((await browser.get("/api/hub")).status).toBe(200);
    expect((await browser.post("/api/logout")).status).toBe(200);
    expect((await silenced.get("/api/me")).body.user.moderation.state).toBe("silenced");
  });

  it("have no profile while they are suspended", async () => {
    const profile = async (username: string) =>
      (await hub.guest().get(`/api/profile?username=${username}`)).status;
    expect([await profile("sue"), await profile("sil")]).toEqual([404, 200]);
  });

  it("are free again after the time, or when it is lifted", async () => {
    const tim = await hub.vip("tim");
    const id = await idOf(tim);
    await setRestriction(db(), id, "suspension", { ...why, until: "2031-01-01 00:00:00" });
    expect((await tim.get("/api/souls")).body).toMatchObject({ until: "2031-01-01 00:00:00" });
    await hub.moveClock("20 years");
    expect((await tim.get("/api/souls")).status).toBe(200);
    expect((await tim.get("/api/me")).body.user.moderation).toBeNull();
    await hub.moveClock("0");
    expect((await tim.get("/api/souls")).status).toBe(403);
    await setRestriction(db(), id, "suspension", null);
    expect((await tim.get("/api/souls")).status).toBe(200);
    await setRestriction(db(), id, "silence", why);
    expect((await say(tim, room, "Hello")).body.error).toBe("account_suspended");
    await setRestriction(db(), id, "silence", null);
    expect((await say(tim, room, "Hello")).status).toBe(200);
  });
});
