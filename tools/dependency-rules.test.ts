import { spawnSync } from "node:child_process";
import { globSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { layers } from "./layers.ts";
import { mayImport } from "./may-import.ts";

const src = "packages/api/src";

/** Source files that a dependency rule must refuse: [rule, file, source]. */
const refused: [rule: string, file: string, source: string][] = [
  ["no-cycles", `${src}/db/a.ts`, `import type { B } from "./b.ts";`],
  ["resolves", "apps/web/src/deep.ts", `import type { X } from "@soul-hub/api/src/errors.ts";`],
  ["packages-through-exports", "apps/server/src/a.ts", `import "../../../${src}/index.ts";`],
  ["exports-are-few", "bench/a.ts", `import "../${src}/errors.ts";`],
  [
    "packages-below-apps",
    `${src}/errors.ts`,
    `import type { A } from "../../../apps/server/src/a.ts";`,
  ],
  ["packages-below-apps", "apps/web/src/a.ts", `import "../../server/src/a.ts";`],
  ["api-knows-no-client", `${src}/context.ts`, `import "@soul-hub/client";`],
  ["types-only-from-api", "apps/web/src/run.ts", `import { errors } from "@soul-hub/api";`],
  ["tool-restores-backups", "apps/cli/src/run.ts", `import { errors } from "@soul-hub/api";`],
  ["types-only-from-api", "packages/client/src/run.ts", `export * from "@soul-hub/api";`],
  ["types-only-from-api", "apps/soul-hub/src/run.ts", `import { errors } from "@soul-hub/api";`],
  [
    "accounts-reaches-leftward-only",
    `${src}/accounts/a.ts`,
    `import type { Q } from "../quota/quota.service.ts";`,
  ],
  [
    "accounts-reaches-leftward-only",
    `${src}/accounts/far.ts`,
    // A type-only import that reaches the forbidden slice through two other files.
    `import type { Far } from "../db/far.ts";`,
  ],
  ["quota-reaches-leftward-only", `${src}/quota/a.ts`, `import "../chat/chat.service.ts";`],
  ["wallet-reaches-leftward-only", `${src}/wallet/a.ts`, `import "../souls/soul.service.ts";`],
  ["souls-reaches-leftward-only", `${src}/souls/a.ts`, `import "../rooms/room.ts";`],
  [
    "social-reaches-leftward-only",
    `${src}/social/a.ts`,
    `await import("../chat/chat.service.ts");`,
  ],
  ["rooms-reaches-leftward-only", `${src}/rooms/a.ts`, `import "../chat/chat.service.ts";`],
  ["chat-reaches-leftward-only", `${src}/chat/a.ts`, `import "../mini-apps/app.service.ts";`],
  [
    "mini-apps-reaches-leftward-only",
    `${src}/mini-apps/a.ts`,
    `import "../moderation/cases/mod-case.entity.ts";`,
  ],
  [
    "moderation-reaches-leftward-only",
    `${src}/moderation/a.ts`,
    `import "../account-archive/archive.entity.ts";`,
  ],
  [
    "account-archive-reaches-leftward-only",
    `${src}/account-archive/a.ts`,
    `import "../account-deletion/deletion.entity.ts";`,
  ],
  [
    "rooms-reaches-no-sibling",
    `${src}/rooms/b.ts`,
    `import type { S } from "../souls/soul.service.ts";`,
  ],
  ["rooms-knows-no-table", `${src}/rooms/c.ts`, `import type { T } from "@trpc/server";`],
  ["rooms-knows-no-table", `${src}/rooms/d.ts`, `import { c } from "../db/connect.ts";`],
  ["routers-in-one-list", `${src}/chat/chat.router.ts`, `import "../souls/soul.router.ts";`],
  [
    "router-calls-services",
    `${src}/souls/soul.router.ts`,
    `import { Soul } from "./soul.entity.ts";`,
  ],
  [
    "entity-is-lowest",
    `${src}/souls/soul.entity.ts`,
    `import type { S } from "./soul.service.ts";`,
  ],
  [
    "schema-imports-zod-alone",
    `${src}/souls/soul.schema.ts`,
    `import type { S } from "./soul.entity.ts";`,
  ],
  [
    "rules-know-no-transport",
    `${src}/souls/soul.service.ts`,
    `import type { T } from "@trpc/server";`,
  ],
  ["rules-know-no-transport", `${src}/quota/quota.service.ts`, `import type { F } from "fastify";`],
  [
    "rules-know-no-transport",
    `${src}/chat/chat.service.ts`,
    `import { r } from "../transport/rest/routes.ts";`,
  ],
  [
    "rules-know-no-transport",
    `${src}/wallet/wallet.entity.ts`,
    `import { p } from "../trpc/trpc.ts";`,
  ],
  ["no-index-in-a-slice", `${src}/chat/b.ts`, `import "./models/index.ts";`],
  [
    "testing-only-in-tests",
    `${src}/transport/rest/a.ts`,
    `import { hub } from "../../testing/index.ts";`,
  ],
  ["tests-stand-alone", `${src}/db/c.test.ts`, `import "../transport/rest/routes.test.ts";`],
  ["dev-tools-only-in-tests", `${src}/transport/rest/b.ts`, `import { check } from "fast-check";`],
  ["names-say-what", `${src}/transport/rest/c.ts`, `import "./helpers.ts";`],
];

/** Source files that all dependency rules must accept: [file, source]. */
const allowed: [file: string, source: string][] = [
  ["apps/server/src/main.ts", `import { errors } from "@soul-hub/api";\nimport "fastify";`],
  ["apps/web/src/hub.ts", `import type { X } from "@soul-hub/api";\nimport "@soul-hub/client";`],
  ["apps/web/src/room.test.ts", `import { startTestHub } from "@soul-hub/api/testing";`],
  [`${src}/router.ts`, `import "./quota/quota.router.ts";`],
  [`${src}/quota/quota.router.ts`, `import "@trpc/server";\nimport "./quota.schema.ts";`],
  [
    `${src}/quota/quota.schema.ts`,
    `import { z } from "zod";\nimport "../accounts/tier.schema.ts";`,
  ],
  [
    `${src}/quota/a.test.ts`,
    `import "../testing/index.ts";\nimport "fast-check";\nimport "@trpc/server";`,
  ],
  [
    `${src}/mini-apps/app.service.ts`,
    `import "../chat/chat.service.ts";\nimport "./app.entity.ts";`,
  ],
  [`${src}/transport/rest/routes.ts`, `import "fastify";\nimport "@trpc/server";`],
];

/** Empty files that the source files above import. */
const empty = [
  ...["db/connect", "accounts/tier.schema", "rooms/room", "mini-apps/app.entity", "trpc/trpc"],
  ...[
    "moderation/cases/mod-case.entity",
    "account-archive/archive.entity",
    "account-deletion/deletion.entity",
  ],
  ...["chat/models/index", "transport/rest/routes.test", "transport/rest/helpers"],
  ...["testing/index", "index"],
].map((name): [string, string] => [`${src}/${name}.ts`, "export {};"]);

const root = mkdtempSync(join(tmpdir(), "dependency-rules-"));
afterAll(() => rmSync(root, { recursive: true }));

function write(file: string, text: string) {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), text);
}

for (const [file, source] of empty) write(file, source);
for (const [file, source] of allowed) write(file, source);
for (const [, file, source] of refused) write(file, source);
// Two neighbours of each list: the lower may not import the upper, and the upper may import the lower.
const neighbours = Object.entries(layers).flatMap(([folder, names]) =>
  names.slice(1).map((upper, at) => ({ folder, lower: names[at] ?? "", upper })),
);
for (const { folder, lower, upper } of neighbours) {
  write(`${folder}/${lower}/empty.ts`, "export {};");
  write(`${folder}/${upper}/empty.ts`, "export {};");
  write(`${folder}/${lower}/up.ts`, `import type { A } from "../${upper}/empty.ts";`);
  write(`${folder}/${upper}/down.ts`, `import type { A } from "../${lower}/empty.ts";`);
}
write(`${src}/db/b.ts`, `import type { A } from "./a.ts";`);
write(`${src}/db/far.ts`, `export type { Far } from "./farther.ts";`);
write(`${src}/db/farther.ts`, `import type { Q } from "../quota/quota.service.ts";`);
write("packages/client/src/index.ts", "export {};");
write("packages/client/package.json", `{ "exports": "./src/index.ts" }`);
write(
  "packages/api/package.json",
  JSON.stringify({
    exports: { ".": "./src/index.ts", "./testing": "./src/testing/index.ts" },
    dependencies: { "@trpc/server": "*", fastify: "*", zod: "*" },
    devDependencies: { "fast-check": "*" },
  }),
);
for (const name of ["@trpc/server", "fastify", "zod", "fast-check"]) {
  // npm packages have their code in `dist`, too. A rule that excludes the repository's own `dist`
  // must not exclude them.
  write(`node_modules/${name}/package.json`, `{ "main": "dist/index.js" }`);
  write(`node_modules/${name}/dist/index.js`, "");
}
mkdirSync(join(root, "node_modules/@soul-hub"));
for (const name of ["api", "client"]) {
  symlinkSync(join(root, "packages", name), join(root, "node_modules/@soul-hub", name));
}

const tool = resolve("node_modules/dependency-cruiser/bin/dependency-cruiser.mjs");
const config = resolve(".dependency-cruiser.mjs");
const { stdout, stderr } = spawnSync(
  process.execPath,
  [tool, "--config", config, "--output-type", "json", "apps", "packages", "bench"],
  { cwd: root, encoding: "utf8", maxBuffer: 2 ** 26 },
);
if (stderr) throw new Error(stderr);
interface Summary {
  violations: { from: string; rule: { name: string } }[];
  ruleSetUsed: { forbidden: { name: string }[] };
}
const { violations, ruleSetUsed }: Summary = JSON.parse(stdout).summary;

describe("the direction rules", () => {
  it.each(refused)("%s refuses %s", (rule, file) => {
    expect(violations.filter(({ from }) => from === file).map((it) => it.rule.name)).toContain(
      rule,
    );
  });

  it.each(allowed)("accept %s", (file) => {
    expect(violations.filter(({ from }) => from === file)).toEqual([]);
  });

  it("each refuse at least one source", () => {
    const names = ruleSetUsed.forbidden.map(({ name }) => name);
    const ofLayers = ({ folder, lower }: { folder: string; lower: string }) =>
      `${folder}/${lower}-imports-only-lower-layers`;
    expect(new Set([...refused.map(([rule]) => rule), ...neighbours.map(ofLayers)])).toEqual(
      new Set(names),
    );
  });
});

describe("the layers of a folder", () => {
  it.each(Object.entries(layers))("of %s are all of its code", (folder, names) => {
    const code = globSync("**/*.{ts,tsx}", { cwd: folder })
      .filter((file) => !/[.](?:test|fixture)[.]tsx?$|^testing\//.test(file))
      .map((file) => file.replace(/\/.*|[.]tsx?$/, ""));
    expect([...new Set(code)].sort()).toEqual(names.toSorted());
  });

  it.each(Object.keys(layers))("of %s import only lower ones", (folder) => {
    const rules = (file: string) =>
      violations.filter(({ from }) => from === `${folder}/${file}`).map(({ rule }) => rule.name);
    for (const { lower, upper } of neighbours.filter((it) => it.folder === folder)) {
      const rule = `${folder}/${lower}-imports-only-lower-layers`;
      expect(rules(`${lower}/up.ts`)).toContain(rule);
      expect(rules(`${upper}/down.ts`)).toEqual([]);
    }
  });
});

describe("pnpm may-import", () => {
  it("prints layers by all rules, also by those for routers and slices alone", () => {
    const [, hub, routers, not] = mayImport(`${src}/quota`);
    expect(hub).toMatch(/In .*, quota may import: .*\bdb, .*accounts$/);
    expect(routers).toBe("  Its routers alone may import: trpc");
    expect(not).toMatch(/It may not import: wallet, /);
    // This slice has routers and schemas alone.
    expect(mayImport(`${src}/about`)[2]).toMatch(/It may not import: rooms, /);
    expect(mayImport(`${src}/rooms/log`)[2]).toMatch(/It may not import: db, trpc, /);
  });

  it("prints the rules for all folders, and no rule for other folders", () => {
    const lines = mayImport("packages/client/src");
    expect(lines).toContain("- No file but packages/api/src/router.ts imports a router.");
    expect(lines).toContain(
      "- Web, soul-hub and the other packages import only types from the hub, `@soul-hub/api`.",
    );
    expect(lines.join()).not.toContain("Fastify");
    expect(mayImport("apps/soul-hub/src").join()).toContain("by name: @soul-hub/api, @soul-hub/");
  });
});
