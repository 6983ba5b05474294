import {
  createActor,
  type DatabaseKind,
  PASSWORD,
  runOnServer,
  type ServerProcess,
  stopDatabaseClock,
  testDatabases,
} from "@soul-hub/api/testing";
import { describe, expect, it } from "vitest";
import { makePlace } from "./testing/server-place.fixture.ts";
import { startServerProcess } from "./testing/server-process.fixture.ts";

const DAY_MS = 86_400_000;
const SESSION_DAYS = 30;
/**
 * A pass of half a year. In zones with daylight saving time, the UTC offset at its end differs from
 * today's.
 */
const PASS_DAYS = 182;

/** Reads `YYYY-MM-DD HH:MM:SS` in UTC, and nothing else (decisions §2). */
function readUtc(text: string): number {
  expect(text).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
  return Date.parse(`${text.replace(" ", "T")}Z`);
}

/** Collects every time of the REST API, as `[name, time, days from now]`. */
async function readTimes({ url }: ServerProcess, adminToken: string) {
  const times: [name: string, time: string, days: number][] = [];
  const guest = createActor({ name: "guest", baseUrl: () => url });
  const operator = createActor({ name: "operator", apiKey: adminToken, baseUrl: () => url });
  const username = "vera";
  const account = { username, password: PASSWORD, email: "vera@example.org" };
  const registered = await guest.post("/api/register", account);
  const vera = createActor({ name: username, apiKey: registered.body.api_key, baseUrl: () => url });
  await guest.post("/api/login", { username, password: PASSWORD, remember: true });

  const pass = await operator.post("/api/admin/pass", { username, tier: "vip", days: PASS_DAYS });
  times.push(["a granted pass", pass.body.expires_at, PASS_DAYS]);
  expect(pass.body.message).toContain(`until ${pass.body.expires_at} UTC`);
  const read = await operator.get(`/api/admin/pass?username=${username}`);
  times.push(["a read pass", read.body.expires_at, PASS_DAYS]);
  const { user } = (await vera.get("/api/me")).body;
  times.push(["an own pass", user.pass_expires_at, PASS_DAYS], ["joined_at", user.joined_at, 0]);
  const { sessions } = (await guest.get("/api/sessions")).body;
  times.push(["a session's created_at", sessions[0].created_at, 0]);
  times.push(["a session's expires_at", sessions[0].expires_at, SESSION_DAYS]);
  const profile = await guest.get(`/api/profile?username=${username}`);
  times.push(["a profile's joined_at", profile.body.user.joined_at, 0]);

  const { id } = (await vera.post("/api/souls", { title: "Clock", content: "# Clock" })).body;
  await vera.put(`/api/soul/${id}`, { content: "# Clock, changed" });
  const { data: soul } = (await guest.get(`/api/soul/${id}`)).body;
  times.push(["created_at", soul.created_at, 0], ["updated_at", soul.updated_at, 0]);
  const { data: versions } = (await vera.get(`/api/versions?soul_id=${id}`)).body;
  times.push(["edited_at", versions[0].edited_at, 0]);
  const { data: list } = (await guest.get("/api/souls?sort=updated")).body;
  times.push(["a list's created_at", list[0].created_at, 0]);

  await vera.post("/api/chat", { soul_id: id, session_token: "room", content: "What time is it?" });
  const { sessions: chats } = (await vera.get("/api/my-chats")).body;
  times.push(["last_updated", chats[0].last_updated, 0]);
  return { times, operator, vera };
}

async function expectUtc(server: ServerProcess, adminToken: string) {
  // The API's times have no fraction of a second.
  const before = Math.floor(Date.now() / 1_000) * 1_000;
  const { times, operator, vera } = await readTimes(server, adminToken);
  const after = Date.now();
  for (const [name, time, days] of times) {
    const created = readUtc(time) - days * DAY_MS;
    expect(created, `${name}: ${time}`).toBeGreaterThanOrEqual(before);
    expect(created, `${name}: ${time}`).toBeLessThanOrEqual(after);
  }

  const { quota } = (await vera.get("/api/chat-quota")).body;
  expect(quota.daily_count).toBe(1);
  expect(readUtc(quota.resets_at) % DAY_MS).toBe(0);
  expect(readUtc(quota.resets_at)).toBeGreaterThan(before);
  expect(readUtc(quota.resets_at)).toBeLessThanOrEqual(after + DAY_MS);
  for (const given of ["2099-07-01 12:00:00", "2099-07-01T12:00:00", "2099-07-01T14:00+02:00"]) {
    const pass = { username: "vera", tier: "vip", expires_at: given };
    const { body } = await operator.post("/api/admin/pass", pass);
    expect(body.expires_at, given).toBe("2099-07-01 12:00:00");
  }
}

interface Setting {
  name: string;
  kind: DatabaseKind;
  /** The time zone of the server's process. */
  zone: string;
  /** The beginning of a statement that stores settings in PostgreSQL. */
  alter?: (database: string) => string;
}

const settings: Setting[] = ["Asia/Shanghai", "America/St_Johns", "Pacific/Apia"].map((zone) => ({
  name: `an embedded hub with TZ=${zone}`,
  kind: "pglite",
  zone,
}));
if (testDatabases().includes("postgresql")) {
  const alterations: [what: string, alter: NonNullable<Setting["alter"]>][] = [
    ["database", (database) => `alter database ${database}`],
    ["role", (database) => `alter role current_user in database ${database}`],
  ];
  for (const [what, alter] of alterations) {
    settings.push({
      name: `PostgreSQL whose ${what} has another time zone and date style`,
      kind: "postgresql",
      zone: "Pacific/Apia",
      alter,
    });
  }
}

async function makePlaceIn({ kind, zone, alter }: Setting) {
  const place = await makePlace(kind);
  if (alter) {
    const url = place.env.DATABASE_DIRECT_URL || place.env.DATABASE_URL || "";
    const altered = alter(new URL(url).pathname.slice(1));
    await runOnServer(url, `${altered} set timezone = 'America/St_Johns'`);
    await runOnServer(url, `${altered} set datestyle = 'German'`);
  }
  return Object.assign(place, { env: { ...place.env, TZ: zone } });
}

describe("times are UTC", () => {
  it.each(settings)("on $name", async (setting) => {
    await using place = await makePlaceIn(setting);
    await using server = await startServerProcess(place.env);
    await expectUtc(server, await place.adminToken());
  });
});

/** In these thirty days, the clocks of St John's are set forward. */
const BEGIN = "2031-03-01 12:00:00";
const LAST_SECOND = "2031-03-31 11:59:59";
const END = "2031-03-31 12:00:00";

describe("a pass and a session of thirty days end at the same moment", () => {
  it.each(settings)("on $name", async (setting) => {
    await using place = await makePlaceIn(setting);
    const database = await place.open();
    await stopDatabaseClock(database, { vera: BEGIN, before: LAST_SECOND, after: END });
    await database.close();
    await using server = await startServerProcess(place.env);
    const vera = server.actor({ name: "vera" });
    const operator = server.actor({ name: "operator", apiKey: await place.adminToken() });
    const register = (username: string) =>
      server.actor({ name: username }).post("/api/register", {
        username,
        password: PASSWORD,
        email: `${username}@example.org`,
      });
    /** The tier of vera's account, and the user of vera's session, if there is one. */
    const readVera = async () => {
      const { effective_tier } = (await operator.get("/api/admin/pass?username=vera")).body;
      const { user } = (await vera.get("/trpc/accounts.whoAmI")).body.result.data;
      return [effective_tier, user?.username];
    };

    await register("vera");
    await vera.post("/api/login", { username: "vera", password: PASSWORD, remember: true });
    const grant = { username: "vera", tier: "vip", days: 30 };
    const pass = (await operator.post("/api/admin/pass", grant)).body;
    const { sessions } = (await vera.get("/api/sessions")).body;
    expect([pass.expires_at, sessions[0].expires_at]).toEqual([END, END]);
    await register("before");
    expect(await readVera()).toEqual(["vip", "vera"]);
    await register("after");
    expect(await readVera()).toEqual(["free", undefined]);
  });
});
