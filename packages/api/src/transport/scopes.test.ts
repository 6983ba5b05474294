import { beforeAll, expect, it } from "vitest";
import { type NamedActor, withNamedKey } from "../accounts/keys/named-key.fixture.ts";
import { type KeyScope, keyScopes } from "../caller/key-scopes.schema.ts";
import type { Actor, Answer } from "../testing/actor.ts";
import { openRoom, type RoomName } from "../testing/chat-hub.ts";
import { describeHub } from "../testing/describe-chat.ts";
import { failureCode, openSocket } from "../testing/live-visitor.ts";
import { callProcedure, everyProcedure, refusalOf } from "./every-procedure.fixture.ts";
import { openApiDocument } from "./rest/openapi.ts";

const ofUsers = everyProcedure.filter(({ access }) => access !== "admin");
const needing = (...needs: (string | undefined)[]) =>
  ofUsers.filter(({ need }) => needs.includes(need)).map((one) => [one.name, one] as const);

/** The table of scopes × endpoints (decisions §3). */
describeHub("named keys", {}, (hub) => {
  let vera: Actor;
  let room: RoomName;
  const only = {} as Record<KeyScope, NamedActor>;
  const allBut = {} as Record<KeyScope, NamedActor>;
  let all: NamedActor;

  beforeAll(async () => {
    vera = await hub.vip("vera");
    room = await openRoom(vera);
    all = await withNamedKey(hub, vera, keyScopes);
    for (const scope of keyScopes) {
      only[scope] = await withNamedKey(hub, vera, [scope]);
      const others = keyScopes.filter((other) => other !== scope);
      allBut[scope] = await withNamedKey(hub, vera, others);
    }
  });

  const scopeRefusalOf = (answer: Answer) => {
    const { status, error, scope } = refusalOf(answer);
    return [status, error, scope, answer.headers.get("www-authenticate")];
  };
  const insufficient = 'Bearer error="insufficient_scope"';

  it("need something at each procedure", () => {
    expect(ofUsers.filter(({ need }) => need === undefined)).toEqual([]);
  });

  it.each(needing(...keyScopes))("without its scope cannot call %s", async (_, procedure) => {
    const scope = procedure.need as KeyScope;
    const answers = await callProcedure(allBut[scope], procedure);
    // tRPC answers a refused subscription with 200, and sends the error as an event.
    if (procedure.type === "subscription") {
      expect(answers.map(({ text }) => text)).toEqual([
        expect.stringMatching(`"error":"scope_missing",.*"scope":"${scope}"`),
      ]);
      return;
    }
    const expected = [403, "scope_missing", scope, `${insufficient}, scope="${scope}"`];
    expect(answers.map(scopeRefusalOf)).toEqual(answers.map(() => expected));
  });

  // An archive needs the scopes of all of its parts: gathered-data.test.ts.
  const needsMore = ["rooms.live", "archive.export"];
  it.each(needing(...keyScopes).filter(([name]) => !needsMore.includes(name)))(
    "with its scope alone may call %s",
    async (_, procedure) => {
      const answers = await callProcedure(only[procedure.need as KeyScope], procedure);
      for (const answer of answers) expect(answer.text).not.toContain("scope_missing");
    },
  );

  it.each(needing("main"))("with all scopes cannot call %s", async (_, procedure) => {
    const answers = await callProcedure(all, procedure);
    const expected = [403, "scope_missing", undefined, insufficient];
    expect(answers.map(scopeRefusalOf)).toEqual(answers.map(() => expected));
  });

  it.each(needing("public").filter(([name]) => name !== "accounts.revokeKey"))(
    "with any scope may call %s",
    async (_, procedure) => {
      for (const answer of await callProcedure(only.social, procedure)) {
        expect(answer.text).not.toContain("scope_missing");
      }
    },
  );

  it("without the scope are refused over a WebSocket, too", async () => {
    await using socket = openSocket(hub, allBut.chat);
    const visitor = socket.join(room);
    await expect.poll(() => visitor.endedBy).toBe("scope_missing");
    const typing = socket.client.rooms.typing.mutate(room).then(() => "no error", failureCode);
    expect(await typing).toBe("scope_missing");
    const souls = await socket.client.souls.list.query({});
    expect(souls.count).toBe(1);
  });

  it("are named in the OpenAPI document with the scope that an operation needs", () => {
    const { paths } = openApiDocument("0.0.0");
    for (const { rest, need } of ofUsers) {
      if (!rest) continue;
      const [method = "", path = ""] = rest.split(" ");
      const operation = paths[`/api${path}`]?.[method.toLowerCase()] as {
        security: { key?: string[] }[];
      };
      const scopes = operation.security.flatMap(({ key }) => key ?? []);
      const isScope = (keyScopes as readonly (string | undefined)[]).includes(need);
      expect([rest, scopes]).toEqual([rest, isScope ? [need] : []]);
    }
  });
});
