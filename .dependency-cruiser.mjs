// The direction rules of ARCHITECTURE.md. tools/dependency-rules.test.ts breaks each rule once.
import { layers } from "./tools/layers.ts";

const core = "^packages/api/src";
/** Leftmost first: a slice may reach the slices to its left. `rooms` may reach none. */
const slices = [
  "accounts",
  "quota",
  "wallet",
  "souls",
  "social",
  "rooms",
  "chat",
  "mini-apps",
  "moderation",
  "account-archive",
  "account-deletion",
];
const anySlice = `${core}/(?:${slices.join("|")})/`;
const test = "[.](?:test|fixture)[.]tsx?$|/test(?:ing)?/";
/**
 * Tests of two packages together: pages on the server's own code, and the client's feed in a model of
 * rooms. By name, the packages would form a cycle.
 */
const byPath = "^(?:apps/web/test/browser-hub|packages/api/src/rooms/model-client[.]fixture)[.]ts$";
const fastify = "(?:^|/)node_modules/(?:fastify|fastify-plugin|@fastify)/";
const trpc = "(?:^|/)node_modules/@trpc/";
const orm = "(?:^|/)node_modules/(?:@mikro-orm|@electric-sql|kysely|pg)/";
const zod = "(?:^|/)node_modules/zod/";

const forbid = (name, comment, from, to) => ({ name, comment, severity: "error", from, to });

const leftward = slices
  .slice(0, -1)
  .map((slice, at) =>
    forbid(
      `${slice}-reaches-leftward-only`,
      `A slice reaches only slices to its left, through any number of imports, types included: ${slices.join(" → ")}.`,
      { path: `${core}/${slice}/`, pathNot: test },
      { path: `${core}/(?:${slices.slice(at + 1).join("|")})/`, reachable: true },
    ),
  );

const upward = Object.entries(layers).flatMap(([folder, names]) => {
  const layer = (name) => `^${folder}/${name.replace(".", "[.]")}(?:/|[.]tsx?$)`;
  return names
    .slice(0, -1)
    .map((name, at) =>
      forbid(
        `${folder}/${name}-imports-only-lower-layers`,
        `A layer imports only those before it in tools/layers.ts: ${names.join(", ")}.`,
        { path: layer(name), pathNot: test },
        { path: names.slice(at + 1).map(layer), pathNot: test },
      ),
    );
});

/** @type {import("dependency-cruiser").IConfiguration} */
export default {
  forbidden: [
    forbid("no-cycles", "Modules form no cycle, not even of types.", {}, { circular: true }),
    forbid(
      "resolves",
      "Every import resolves. A path that `exports` does not list does not.",
      {},
      { couldNotResolve: true },
    ),

    // Between the parts of the workspace.
    forbid(
      "packages-through-exports",
      "Another workspace package is imported by name, never by a relative path.",
      { path: "^((?:apps|packages)/[^/]+|bench|tools)/", pathNot: byPath },
      { path: "^(?:apps|packages|bench|examples)/", pathNot: "^$1/", dependencyTypes: ["local"] },
    ),
    forbid(
      "exports-are-few",
      "Other packages import only the files that `exports` names.",
      { path: "^((?:apps|packages)/[^/]+|bench|tools)/" },
      {
        path: "^packages/",
        pathNot: ["^$1/", "^packages/[^/]+/src/(?:testing/|operator/)?index[.]ts$"],
      },
    ),
    forbid(
      "packages-below-apps",
      "A package imports no app, and an app imports no other app. soul-hub-server contains two (0072).",
      {
        path: "^((?:apps|packages)/[^/]+)/",
        pathNot: ["^apps/(?:soul-hub-server/src/|[^/]+/rolldown[.]config[.]ts$)", byPath],
      },
      { path: "^(?:apps|bench|tools)/", pathNot: "^$1/" },
    ),
    forbid(
      "api-knows-no-client",
      "The hub imports no client.",
      { path: "^packages/api/", pathNot: test },
      { path: "^packages/client/" },
    ),
    forbid(
      "types-only-from-api",
      "Web, soul-hub and the other packages import only types from the hub, `@soul-hub/api`.",
      { path: "^(?:apps/web|apps/soul-hub|packages/(?!api/)[^/]+)/", pathNot: test },
      { path: "^packages/api/", dependencyTypesNot: ["type-only", "type-import"] },
    ),
    forbid(
      "tool-restores-backups",
      "The operator's tool imports only types from the hub, and what restores backups (0013).",
      { path: "^apps/cli/", pathNot: test },
      {
        path: "^packages/api/",
        pathNot: "^packages/api/src/operator/index[.]ts$",
        dependencyTypesNot: ["type-only", "type-import"],
      },
    ),

    // Between the slices, and between the layers of each folder.
    ...leftward,
    ...upward,
    forbid(
      "rooms-reaches-no-sibling",
      "Rooms are pure: no sibling slice, through any number of imports.",
      { path: `${core}/rooms/`, pathNot: test },
      { path: anySlice, pathNot: `${core}/rooms/`, reachable: true },
    ),
    forbid(
      "rooms-knows-no-table",
      "Rooms import no `db/`, `trpc/`, `transport/` or entity, and from npm no database driver, tRPC or Fastify.",
      { path: `${core}/rooms/`, pathNot: test },
      { path: [trpc, orm, fastify, `${core}/(?:trpc/|db/|transport/)`, "[.]entity[.]ts$"] },
    ),
    forbid(
      "routers-in-one-list",
      "No file but packages/api/src/router.ts imports a router.",
      { pathNot: `${core}/router[.]ts$` },
      { path: `${core}/.+[.]router[.]ts$` },
    ),

    // In a slice: router → service → entity.
    forbid(
      "router-calls-services",
      "A router imports no entity, not even as a type: its service reaches the tables.",
      { path: `${anySlice}.+[.]router[.]ts$` },
      { path: "[.]entity[.]ts$" },
    ),
    forbid(
      "entity-is-lowest",
      "An entity imports no service or router.",
      { path: "[.]entity[.]ts$" },
      { path: "[.](?:service|router)[.]ts$" },
    ),
    forbid(
      "schema-imports-zod-alone",
      "A schema file holds shapes: it imports zod and other schema files.",
      { path: `${anySlice}.+[.]schema[.]ts$` },
      { pathNot: [zod, "[.]schema[.]ts$"] },
    ),
    forbid(
      "rules-know-no-transport",
      "In a slice, only routers may import tRPC, `trpc/` or Fastify. No file of a slice imports a transport.",
      { path: anySlice, pathNot: [test, "[.]router[.]ts$"] },
      { path: [trpc, fastify, `${core}/(?:trpc/|transport/|router[.]ts)`, "^apps/"] },
    ),
    forbid(
      "no-index-in-a-slice",
      "A file of a slice is imported by its own name.",
      {},
      { path: `${anySlice}.*index[.]tsx?$` },
    ),

    // Between program and tests.
    forbid(
      "testing-only-in-tests",
      "Test support is not part of the program.",
      { path: "^(?:apps|packages)/", pathNot: test },
      { path: test, pathNot: "node_modules" },
    ),
    forbid("tests-stand-alone", "A test is not imported.", {}, { path: "[.]test[.]tsx?$" }),
    forbid(
      "dev-tools-only-in-tests",
      "From npm, a program file imports its package's `dependencies`, and types of `devDependencies`.",
      { path: "^(?:apps|packages)/[^/]+/src/", pathNot: [test, "^apps/soul-hub/"] },
      { dependencyTypes: ["npm-dev"], dependencyTypesNot: ["type-only", "type-import"] },
    ),
    forbid(
      "names-say-what",
      "A file is named after its purpose in the domain.",
      {},
      {
        path: "(?:^|/)(?:utils?|helpers?|common|types|managers?|base)(?:[.]|/)",
        pathNot: "node_modules",
      },
    ),
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    // Only our own build output: many packages in node_modules also have a `dist`.
    exclude: { path: "^(?:apps|packages)/[^/]+/(?:dist|[.]turbo)/" },
    // Type-only imports count: this needs the TypeScript that pnpm-workspace.yaml adds.
    parser: "tsc",
    tsPreCompilationDeps: true,
    detectJSDocImports: true,
    detectProcessBuiltinModuleCalls: true,
    combinedDependencies: false,
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "node", "default"],
      mainFields: ["module", "main", "types"],
      extensions: [".ts", ".tsx", ".js", ".mjs", ".json"],
    },
  },
};
