import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { accountStatuses } from "../accounts/status-table.fixture.ts";
import { ownKeyStatuses } from "../chat/byok/status-table.fixture.ts";
import { chatStatuses } from "../chat/status-table.fixture.ts";
import type { FailureCode } from "../errors.ts";
import { miniAppStatuses } from "../mini-apps/status-table.fixture.ts";
import { passStatuses } from "../quota/status-table.fixture.ts";
import { socialStatuses } from "../social/status-table.fixture.ts";
import { soulStatuses } from "../souls/status-table.fixture.ts";
import type { Actor, Answer } from "../testing/actor.ts";
import {
  expectedOutcomes,
  outcomeOf,
  type Row,
  type StatusTable,
} from "../testing/status-table.ts";
import { type StatusWorld, startStatusWorld } from "../testing/status-world.ts";
import { testDatabases } from "../testing/test-database.ts";
import type { Who } from "../testing/who.ts";
import { walletStatuses } from "../wallet/status-table.fixture.ts";
import { documentedOperations } from "./fuzz/documented.fixture.ts";
import { failuresOf, statusIn } from "./openapi-failures.ts";
import { type RestEndpoint, restEndpoints } from "./rest-endpoints.ts";

const tables: StatusTable = {
  ...accountStatuses,
  ...passStatuses,
  ...walletStatuses,
  ...soulStatuses,
  ...socialStatuses,
  ...chatStatuses,
  ...ownKeyStatuses,
  ...miniAppStatuses,
};

/** What can't be provoked with one call, or is held for every endpoint at once, and where it is. */
const elsewhere: Partial<Record<FailureCode, string>> = {
  bad_request: "wrong-input.test.ts and doors/readable-request.test.ts: what is hardly HTTP",
  uri_too_long: "wrong-input.test.ts: before any endpoint is looked for",
  headers_too_large: "wrong-input.test.ts: before there is a request",
  body_too_large: "wrong-input.test.ts: 10 MB for each endpoint",
  idempotency_in_flight: "idempotency.test.ts: takes two calls at once",
  idempotency_mismatch: "idempotency.test.ts: takes two calls",
  rate_limited: "rate-limits.test.ts, and accounts/login-throttle.test.ts: takes many calls",
  overloaded:
    "db/lost-connection.test.ts: takes a database that falls silent; accounts/password.test.ts: or a crowd that signs in",
  shutting_down: "chat/chat.stop.test.ts: takes a hub that stops",
  internal: "doors/failure-answers.test.ts: takes a mistake of ours",
};

const crowd = "accounts/password.test.ts: takes 68 who sign in at the same time";
const waiting = "chat/chat-turns.test.ts: takes 1,000 calls that wait";
const guesses = "accounts/login-throttle.test.ts: takes many wrong passwords";

/** The same of a failure that the endpoint names as its own. */
const ownElsewhere: Readonly<Record<string, Partial<Record<FailureCode, string>>>> = {
  "POST /chat": { overloaded: waiting },
  "POST /self-chat": {
    overloaded: waiting,
    cancelled: "chat/byok/self-chat.test.ts: the caller, who alone can call it back, has left",
  },
  "POST /register": { overloaded: crowd },
  "POST /login": { overloaded: crowd, rate_limited: guesses },
  "POST /change-password": { overloaded: crowd, rate_limited: guesses },
  "POST /api-key": { overloaded: crowd, rate_limited: guesses },
};

const nameOf = ({ method, path }: RestEndpoint) => `${method} ${path}`;

/** What holds for each endpoint, whatever it is for (decisions §1, §3). */
function commonRows(endpoint: RestEndpoint): Row[] {
  const badlyEncoded = { query: "?x=%zz", early: true } as const;
  const form = { "content-type": "application/x-www-form-urlencoded" };
  const fromElsewhere = { raw: "{}", headers: { "sec-fetch-site": "cross-site" } };
  const members = { member: "403 csrf_rejected", "owner's page": "403 csrf_rejected" } as const;
  const cookieHolders: Row[2] =
    endpoint.rung === "open" ? { ...members, guest: "403 csrf_rejected" } : members;
  const always: Row[] = [
    ["a badly encoded address", {}, { everybody: "400 invalid_input" }, badlyEncoded],
  ];
  if (endpoint.method === "GET") return always;
  return [
    ...always,
    ["broken JSON", {}, { everybody: "400 invalid_json" }, { raw: "{broken" }],
    [
      "a body that is no JSON",
      {},
      { everybody: "415 unsupported_media_type" },
      { raw: "a=1", headers: form },
    ],
    ...(failuresOf(endpoint).has("csrf_rejected")
      ? ([["another site's page", {}, cookieHolders, fromElsewhere]] as Row[])
      : []),
  ];
}

const rowsOf = (endpoint: RestEndpoint): readonly Row[] => [
  ...(tables[nameOf(endpoint)] ?? []),
  ...commonRows(endpoint),
];

describe("the status tables", () => {
  it("are those of the endpoints that there are", () => {
    expect(Object.keys(tables).sort()).toEqual(restEndpoints().map(nameOf).sort());
  });

  describe.each(restEndpoints().map((one) => [nameOf(one), one] as const))(
    "%s",
    (name, endpoint) => {
      const outcomes = new Set(rowsOf(endpoint).flatMap((row) => Object.values(row[2])));
      const expected = new Set<string>(
        rowsOf(endpoint).flatMap((row) => Object.values(expectedOutcomes(row, endpoint.rung))),
      );
      const codes = (from: Iterable<string>) =>
        [...from].filter((one) => one !== "200").map((one) => one.split(" ")[1] as FailureCode);

      it("has a row for its success and for each failure of its own", () => {
        expect([...outcomes]).toContain("200");
        const missing = (endpoint.failures ?? []).filter(
          (code) => !codes(outcomes).includes(code) && !ownElsewhere[name]?.[code],
        );
        expect(missing).toEqual([]);
      });

      it("has a row for everything that the document declares, or says where it is tested", () => {
        const missing = [...failuresOf(endpoint)].filter(
          (code) =>
            !codes(expected).includes(code) && !elsewhere[code] && !ownElsewhere[name]?.[code],
        );
        expect(missing).toEqual([]);
      });

      it("expects nothing that is not declared", () => {
        const declared = [...failuresOf(endpoint)].map(
          (code) => `${statusIn(endpoint, code)} ${code}`,
        );
        expect([...expected].filter((one) => one !== "200" && !declared.includes(one))).toEqual([]);
      });
    },
  );
});

/** Sends the fields to where the endpoint takes them. */
async function send(endpoint: RestEndpoint, actor: Actor, fields: object, row: Row) {
  const { raw, query, headers = {} } = row[3] ?? {};
  const rest = new Map(Object.entries(fields).filter(([, value]) => value !== undefined));
  const path = endpoint.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = rest.get(name) ?? 1;
    rest.delete(name);
    return String(value);
  });
  const inBody = endpoint.method === "POST" || endpoint.method === "PUT";
  const given = Object.fromEntries(rest);
  const search = query ?? (inBody ? "" : `?${new URLSearchParams(given)}`);
  const body = raw ?? (inBody ? JSON.stringify(given) : undefined);
  // Nobody signs in or becomes a guest for the rows that follow.
  const cookies = [...actor.cookies];
  const answer = await actor.send(endpoint.method, `/api${path}${search}`, body, {
    ...(body === undefined ? {} : { "content-type": "application/json" }),
    ...headers,
  });
  actor.cookies.clear();
  for (const [name, value] of cookies) actor.cookies.set(name, value);
  return answer;
}

const operations = new Map(documentedOperations().map((one) => [one.id, one]));

/** What every answer promises, whatever it says (decisions §1, §3). */
function brokenPromises(endpoint: RestEndpoint, { status, headers, body }: Answer): string[] {
  const id = `${endpoint.method} /api${endpoint.path}`;
  const wants = (name: string, value: RegExp) =>
    value.test(headers.get(name) ?? "") ? [] : [`${status} without ${name}`];
  const fault = operations.get(id)?.answerFault(status, body);
  return [
    ...(fault ? [fault] : []),
    ...wants("x-request-id", /^[\w-]{36}$/),
    ...wants("access-control-allow-origin", /^\*$/),
    ...wants("cache-control", /^no-(?:store|cache)$/),
    ...(status === 401 ? wants("www-authenticate", /^Bearer$/) : []),
    ...(status === 429 || status === 503 ? wants("retry-after", /^\d+$/) : []),
    ...(status !== 200 && body.request_id !== headers.get("x-request-id") ? ["request_id"] : []),
  ];
}

describe.each(testDatabases())("on %s", (database) => {
  let world: StatusWorld;
  beforeAll(async () => {
    world = await startStatusWorld(database);
  });
  afterAll(() => world.close());

  describe.each(restEndpoints().map((one) => [nameOf(one), one] as const))("%s", (_, endpoint) => {
    it.each(rowsOf(endpoint).map((row) => [row[0], row] as const))("%s", async (_when, row) => {
      const [, ask, , more] = row;
      const expected = expectedOutcomes(row, endpoint.rung);
      const found: Partial<Record<Who, string>> = {};
      const broken: unknown[] = [];
      for (const who of Object.keys(expected) as Who[]) {
        const fields = typeof ask === "function" ? await ask(world, who) : ask;
        const answer = await send(endpoint, world.people[who], fields, row);
        await more?.after?.(world, who);
        found[who] = outcomeOf(answer);
        for (const promise of brokenPromises(endpoint, answer)) broken.push([who, promise]);
      }
      expect(found).toEqual(expected);
      expect(broken).toEqual([]);
    });
  });
});
