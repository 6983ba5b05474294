import { beforeAll, expect, it } from "vitest";
import { withNamedKey } from "../accounts/keys/named-key.fixture.ts";
import { type KeyNeed, type KeyScope, keyScopes } from "../caller/key-scopes.schema.ts";
import type { Actor } from "../testing/actor.ts";
import { describeChat } from "../testing/describe-chat.ts";
import {
  type GatheredPart,
  gatheredParts,
  giveOwnThings,
  type OwnThings,
} from "./gathered-data.fixture.ts";
import { openApiDocument } from "./rest/openapi.ts";
import { restEndpoints } from "./rest/rest-endpoints.ts";

const models = openApiDocument("0.0.0").paths["/v1/models"]?.get as {
  security: { key?: KeyScope[] }[];
};
const declared = new Map<string, KeyNeed | undefined>([
  ...restEndpoints().map(({ method, path, need }) => [`${method} ${path}`, need] as const),
  ["GET /v1/models", models.security.flatMap(({ key }) => key ?? [])[0]],
]);

/** What endpoints need, as each declares it, in the order of the endpoints. */
function needsOf(endpoints: readonly string[] = []): KeyNeed[] {
  const needs = endpoints.map((name) => {
    const need = declared.get(name);
    if (!need) throw new Error(`${name} is no endpoint.`);
    return need;
  });
  return [...new Set(needs)].filter((need) => need !== "public");
}

/** What a key with these scopes gets: the part, an answer without it, or a refusal. */
function outcomeFor(part: GatheredPart, scopes: readonly KeyScope[]): string {
  const lacking = (needs: readonly KeyNeed[]) =>
    needs.find((need) => need === "main" || !(scopes as readonly KeyNeed[]).includes(need));
  const missing = lacking(needsOf(part.refusesWithout));
  if (missing !== undefined) return missing === "main" ? "403" : `403 \`${missing}\``;
  return lacking(needsOf(part.leavesOutWithout)) === undefined ? "yes" : "left out";
}

/** The scopes that a part needs; null if no named key gets it. */
function scopesFor(part: GatheredPart): KeyScope[] | null {
  const needs = needsOf([...part.refusesWithout, ...(part.leavesOutWithout ?? [])]);
  return needs.includes("main") ? null : (needs as KeyScope[]);
}

const preface = `# Scopes

Some endpoints gather data that also has endpoints of its own. Each part of such an answer needs the
scope of its own endpoint. This table shows what a named key with one scope alone gets.
\`pnpm test gathered-data -u\` rewrites this file.

- \`yes\`: the part. \`left out\`: the answer without the part.
- \`403\`: \`scope_missing\`, which names the first scope that the key lacks. Nothing was read.
- "Needs" lists the scopes with which a key gets the part. \`main\` is the main key or a session.
- Pages, \`GET /souls\` and \`GET /profile\` contain public data alone, so they need no scope.
- For all other endpoints, [openapi.json](../openapi.json) names the scope.
`;

const code = (words: readonly string[]) => words.map((word) => `\`${word}\``);

function scopeTable(): string {
  const rows = gatheredParts.map((part) => {
    const needs = code(scopesFor(part) ?? ["main"]).join(", ") || "–";
    const endpoint = part.endpoint.includes("`") ? part.endpoint : `\`${part.endpoint}\``;
    return [endpoint, part.part, needs, ...keyScopes.map((scope) => outcomeFor(part, [scope]))];
  });
  const head = ["Endpoint", "Part", "Needs", ...code(keyScopes)];
  const lines = [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`);
  return [preface, ...lines, ""].join("\n");
}

it("docs/scopes.md lists scopes × parts", async () => {
  await expect(scopeTable()).toMatchFileSnapshot("../../../../docs/scopes.md");
});

/** Each part of an answer needs the scope that its own endpoint declares (0050). */
describeChat("answers that gather data of several slices", {}, (hub) => {
  let ada: Actor;
  let own: OwnThings;
  const keys = new Map<string, Actor>();

  const keyWith = async (scopes: readonly KeyScope[]): Promise<Actor> => {
    const name = scopes.join();
    const key = keys.get(name) ?? (await withNamedKey(hub, ada, scopes));
    keys.set(name, key);
    return key;
  };
  const outcomeOf = async (part: GatheredPart, scopes: readonly KeyScope[]): Promise<string> => {
    const answer = await part.ask(await keyWith(scopes), own);
    if ("lacks" in answer) return answer.lacks ? `403 \`${answer.lacks}\`` : "403";
    return part.holds.test(answer.text) ? "yes" : "left out";
  };

  beforeAll(async () => {
    ada = await hub.vip("ada");
    own = await giveOwnThings(hub, ada);
  });

  it.each(gatheredParts.map((part) => [part.endpoint, part.part, part] as const))(
    "%s, %s: to keys with one scope, and with all that it needs",
    async (_endpoint, _part, part) => {
      const found: Record<string, string> = {};
      const expected: Record<string, string> = {};
      const all = scopesFor(part) ?? keyScopes;
      // A part that needs one scope, or none, is among the keys with one scope already.
      const sets = [...keyScopes.map((scope) => [scope]), ...(all.length > 1 ? [all] : [])];
      for (const scopes of sets) {
        expected[scopes.join()] = outcomeFor(part, scopes);
        found[scopes.join()] = await outcomeOf(part, scopes);
      }
      expect(found).toEqual(expected);
    },
  );

  it("counts the rooms of private souls that it leaves out", async () => {
    const { body } = await (await keyWith(["chat"])).get("/api/my-chats");
    expect(body).toMatchObject({ sessions: [{ soul_title: "Orchard" }], unchecked_count: 1 });
  });
});
