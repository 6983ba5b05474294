import { globSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { archiveStatuses } from "../../account-archive/access-matrix.fixture.ts";
import { deletionStatuses } from "../../account-deletion/access-matrix.fixture.ts";
import { accountStatuses } from "../../accounts/access-matrix.fixture.ts";
import { blockStatuses } from "../../accounts/blocks/access-matrix.fixture.ts";
import { emailStatuses } from "../../accounts/email/access-matrix.fixture.ts";
import { guestNameStatuses } from "../../accounts/guests/access-matrix.fixture.ts";
import { inviteStatuses } from "../../accounts/invites/access-matrix.fixture.ts";
import { apiKeyStatuses } from "../../accounts/keys/access-matrix.fixture.ts";
import { passkeyStatuses } from "../../accounts/passkeys/access-matrix.fixture.ts";
import { recoveryStatuses } from "../../accounts/recovery/access-matrix.fixture.ts";
import { roleStatuses } from "../../accounts/roles/access-matrix.fixture.ts";
import { auditStatuses } from "../../audit/access-matrix.fixture.ts";
import { backupAccess } from "../../backup/access-matrix.fixture.ts";
import { chatAccess } from "../../chat/access-matrix.fixture.ts";
import { ownKeyAccess } from "../../chat/byok/access-matrix.fixture.ts";
import { changesAccess } from "../../chat/changes/access-matrix.fixture.ts";
import { lifecycleAccess } from "../../chat/lifecycle/access-matrix.fixture.ts";
import { peopleAccess } from "../../chat/people/access-matrix.fixture.ts";
import { readingAccess } from "../../chat/reading/access-matrix.fixture.ts";
import { sayAccess } from "../../chat/say/access-matrix.fixture.ts";
import { sharingAccess } from "../../chat/sharing/access-matrix.fixture.ts";
import { summaryAccess } from "../../chat/summaries/access-matrix.fixture.ts";
import type { FailureCode } from "../../errors.ts";
import { miniAppStatuses } from "../../mini-apps/access-matrix.fixture.ts";
import { moderationAccess } from "../../moderation/access-matrix.fixture.ts";
import { passStatuses } from "../../quota/access-matrix.fixture.ts";
import { socialStatuses } from "../../social/access-matrix.fixture.ts";
import { soulStatuses } from "../../souls/access-matrix.fixture.ts";
import { exchangeStatuses } from "../../souls/exchange/access-matrix.fixture.ts";
import { versionStatuses } from "../../souls/versions/access-matrix.fixture.ts";
import { versionSignatureStatuses } from "../../souls/versions/signing/access-matrix.fixture.ts";
import {
  type AccessMatrix,
  expectedOutcomes,
  isOfStaff,
  outcomeOf,
  outcomesIn,
  planRows,
  type Row,
  refusedOutcomes,
} from "../../testing/access/access-matrix.ts";
import {
  type AccessMatrixWorld,
  startAccessMatrixWorld,
} from "../../testing/access/access-matrix-world.ts";
import { accessTable } from "../../testing/access/access-table.ts";
import type { CallerKind } from "../../testing/access/caller-kinds.ts";
import type { Actor, Answer } from "../../testing/actor.ts";
import { walletStatuses } from "../../wallet/access-matrix.fixture.ts";
import {
  coveredElsewhere,
  ownCoveredElsewhere,
  successElsewhere,
} from "./covered-elsewhere.fixture.ts";
import { documentedOperations } from "./fuzz/documented.fixture.ts";
import { failuresOf, statusIn } from "./openapi-failures.ts";
import { hasJsonBody, type RestEndpoint, restEndpoints } from "./rest-endpoints.ts";

const tables: AccessMatrix = {
  ...auditStatuses,
  ...inviteStatuses,
  ...roleStatuses,
  ...accountStatuses,
  ...apiKeyStatuses,
  ...blockStatuses,
  ...passkeyStatuses,
  ...recoveryStatuses,
  ...emailStatuses,
  ...archiveStatuses,
  ...deletionStatuses,
  ...guestNameStatuses,
  ...passStatuses,
  ...walletStatuses,
  ...soulStatuses,
  ...exchangeStatuses,
  ...versionStatuses,
  ...versionSignatureStatuses,
  ...socialStatuses,
  ...chatAccess,
  ...changesAccess,
  ...sayAccess,
  ...summaryAccess,
  ...peopleAccess,
  ...readingAccess,
  ...sharingAccess,
  ...lifecycleAccess,
  ...ownKeyAccess,
  ...miniAppStatuses,
  ...moderationAccess,
  ...backupAccess,
};

const nameOf = ({ method, path }: RestEndpoint) => `${method} ${path}`;

/** Returns the access matrix rows that every endpoint has (decisions §1, §3). */
function commonRows(endpoint: RestEndpoint): Row[] {
  const invalidPercentEncoding = { query: "?x=%zz", early: true, byTurns: true } as const;
  const form = { "content-type": "application/x-www-form-urlencoded" };
  const crossSite = { raw: "{}", headers: { "sec-fetch-site": "cross-site" } };
  const members = { member: "403 csrf_rejected", "owner's page": "403 csrf_rejected" } as const;
  const cookieHolders = isOfStaff(endpoint.access)
    ? { adminStaff: "403 csrf_rejected" }
    : endpoint.access === "open"
      ? { ...members, guest: "403 csrf_rejected" }
      : members;
  const always: Row[] = [
    [
      "a URL with invalid percent-encoding",
      {},
      { authorized: "400 invalid_input" },
      invalidPercentEncoding,
    ],
  ];
  if (endpoint.method === "GET") return always;
  return [
    ...always,
    [
      "broken JSON",
      {},
      // For an endpoint that takes files, a JSON body is a file like any other.
      { authorized: endpoint.takesFile ? "400 import_invalid" : "400 invalid_json" },
      { raw: '{"broken', byTurns: true },
    ],
    [
      "a body that is not JSON",
      {},
      { authorized: "415 unsupported_media_type" },
      { raw: "a=1", headers: form, byTurns: true },
    ],
    ...(failuresOf(endpoint).has("csrf_rejected")
      ? ([["a page of another site", {}, cookieHolders, crossSite]] as Row[])
      : []),
  ];
}

/** An endpoint without rows of its own succeeds with any call. */
const anyCall: Row[] = [["at any time", {}, "200"]];

/** Whether an endpoint needs a field beside those of its path. A file has rows of its own. */
const needsField = ({ input, path, takesFile }: RestEndpoint) =>
  !takesFile &&
  Object.entries(input.shape).some(
    ([name, type]) => !path.includes(`{${name}}`) && !type.safeParse(undefined).success,
  );

const rowsOf = (endpoint: RestEndpoint): readonly Row[] => [
  ...(tables[nameOf(endpoint)] ?? anyCall),
  ...(needsField(endpoint)
    ? ([["no field", {}, "400 invalid_input", { byTurns: true }]] as const)
    : []),
  ...commonRows(endpoint),
];

describe("the access matrix", () => {
  it("has no row without an endpoint", () => {
    const names = restEndpoints().map(nameOf);
    expect(Object.keys(tables).filter((name) => !names.includes(name))).toEqual([]);
  });

  it("names only test files that exist", () => {
    const tables = [coveredElsewhere, successElsewhere, ...Object.values(ownCoveredElsewhere)];
    const notes = tables.flatMap((table) => Object.values(table)).join("\n");
    const named = Array.from(notes.matchAll(/[\w.-]+\.test\.ts/g), ([name]) => name);
    const root = path.resolve(import.meta.dirname, "../../../../..");
    const files = globSync("{apps,packages}/*/src/**/*.test.ts", { cwd: root });
    const existing = new Set(files.map((file) => path.basename(file)));
    expect(named.filter((name) => !existing.has(name))).toEqual([]);
  });

  it("is summed up in docs/access.md, without an empty cell", async () => {
    const table = accessTable(restEndpoints(), rowsOf);
    expect(table).not.toContain("|  |");
    await expect(table).toMatchFileSnapshot("../../../../../docs/access.md");
  });

  describe.each(restEndpoints().map((one) => [nameOf(one), one] as const))(
    "%s",
    (name, endpoint) => {
      const outcomes = new Set(rowsOf(endpoint).flatMap((row) => Object.values(outcomesIn(row))));
      const expected = new Set<string>(
        rowsOf(endpoint).flatMap((row) => Object.values(expectedOutcomes(row, endpoint))),
      );
      const codes = (from: Iterable<string>) =>
        [...from].filter((one) => one !== "200").map((one) => one.split(" ")[1] as FailureCode);

      it("has a row for its success and for each failure of its `failures` meta", () => {
        if (!successElsewhere[nameOf(endpoint)]) expect([...outcomes]).toContain("200");
        const missing = (endpoint.failures ?? []).filter(
          (code) => !codes(outcomes).includes(code) && !ownCoveredElsewhere[name]?.[code],
        );
        expect(missing).toEqual([]);
      });

      it("has a row, or another test, for each failure that its OpenAPI operation declares", () => {
        const missing = [...failuresOf(endpoint)].filter(
          (code) =>
            !codes(expected).includes(code) &&
            !coveredElsewhere[code] &&
            !ownCoveredElsewhere[name]?.[code],
        );
        expect(missing).toEqual([]);
      });

      it("expects only declared failures", () => {
        const declared = [...failuresOf(endpoint)].map(
          (code) => `${statusIn(endpoint, code)} ${code}`,
        );
        expect([...expected].filter((one) => one !== "200" && !declared.includes(one))).toEqual([]);
      });
    },
  );
});

/** Sends each field of the row in the path, query or body, as the endpoint declares it. */
async function send(endpoint: RestEndpoint, actor: Actor, fields: object, row: Row) {
  const { raw, query, headers = {} } = row[3] ?? {};
  const rest = new Map(Object.entries(fields).filter(([, value]) => value !== undefined));
  const path = endpoint.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = rest.get(name) ?? 1;
    rest.delete(name);
    return String(value);
  });
  const inBody = hasJsonBody(endpoint);
  const given = Object.fromEntries(rest);
  const search = query ?? (inBody ? "" : `?${new URLSearchParams(given)}`);
  const body = raw ?? (inBody ? JSON.stringify(given) : undefined);
  // The request of a row may log in the actor. Its cookies are restored, so that later rows are not
  // affected.
  const cookies = [...actor.cookies];
  const answer = await actor.send(endpoint.method, `/api${path}${search}`, body, {
    ...(body === undefined
      ? {}
      : { "content-type": endpoint.takesFile?.[0] ?? "application/json" }),
    ...headers,
  });
  actor.cookies.clear();
  for (const [name, value] of cookies) actor.cookies.set(name, value);
  return answer;
}

const operations = new Map(documentedOperations().map((one) => [one.id, one]));

/**
 * Checks the headers and the schema that every response must have (decisions §1, §3). Returns the
 * violations.
 */
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
    ...(body?.error === "scope_missing" ? wants("www-authenticate", /insufficient_scope/) : []),
    ...(status === 429 || status === 503 ? wants("retry-after", /^\d+$/) : []),
    ...(status !== 200 && body?.request_id !== headers.get("x-request-id") ? ["request_id"] : []),
  ];
}

describe("responses", () => {
  let world: AccessMatrixWorld;
  beforeAll(async () => {
    world = await startAccessMatrixWorld();
  });
  afterAll(() => world.close());

  // An archive comes first, while the accounts of the matrix own little.
  const isArchive = ({ rateRule }: RestEndpoint) => Number(rateRule === "archive");
  const endpoints = restEndpoints().sort((a, b) => isArchive(b) - isArchive(a));

  const planned = planRows(endpoints, rowsOf);

  it("follow for every caller of an access level, in each row that is sent by turns", () => {
    const pairs = planned.flatMap(([endpoint, rows]) =>
      rows.map(([when, row, callers]) => {
        const expected = Object.keys(expectedOutcomes(row, endpoint));
        return { level: `${endpoint.access}, ${when}`, callers, expected };
      }),
    );
    for (const [level, rows] of Map.groupBy(pairs, (pair) => pair.level)) {
      const sent = new Set<string>(rows.flatMap(({ callers }) => callers));
      const missing = rows.flatMap(({ expected }) => expected.filter((who) => !sent.has(who)));
      expect([level, ...missing]).toEqual([level]);
    }
  });

  describe.each(planned.map(([one, rows]) => [nameOf(one), one, rows] as const))(
    "%s",
    (_name, endpoint, rows) => {
      it.each(rows)("%s", async (_when, row, callers) => {
        const [, ask, , more] = row;
        const outcomes = expectedOutcomes(row, endpoint);
        const refused = refusedOutcomes(row, endpoint);
        const expected = Object.fromEntries(callers.map((who) => [who, outcomes[who]]));
        const found: Partial<Record<CallerKind, string>> = {};
        const broken: unknown[] = [];
        const prepare = (who: CallerKind) => (typeof ask === "function" ? ask(world, who) : ask);
        // A refused call changes nothing, so that one request serves all refused callers.
        let ofRefused: object | undefined;
        for (const who of callers) {
          if (who in refused) ofRefused ??= await prepare(who);
          const fields = who in refused && ofRefused ? ofRefused : await prepare(who);
          const answer = await send(endpoint, world.people[who], fields, row);
          if (!(who in refused)) await more?.after?.(world, who);
          world.restore();
          found[who] = outcomeOf(answer);
          for (const promise of brokenPromises(endpoint, answer)) broken.push([who, promise]);
        }
        expect(found).toEqual(expected);
        expect(broken).toEqual([]);
      });
    },
  );
});
