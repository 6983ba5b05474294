// The direction rules of ARCHITECTURE.md. Every rule was seen to fail on a file that breaks it;
// tools/dependency-rules.test.ts keeps it so.

const core = "^packages/api/src";
/** Leftmost first: a slice may import what stands to its left. `rooms` stands apart. */
const slices = ["accounts", "quota", "wallet", "souls", "social", "rooms", "chat", "mini-apps"];
const anySlice = `${core}/(?:${slices.join("|")})/`;
const test = "[.](?:test|fixture)[.]tsx?$|/test(?:ing)?/";
const fastify = "(?:^|/)node_modules/(?:fastify|fastify-plugin|@fastify)/";
const trpc = "(?:^|/)node_modules/@trpc/";
const orm = "(?:^|/)node_modules/(?:@mikro-orm|@electric-sql|kysely|pg)/";
const zod = "(?:^|/)node_modules/zod/";

const forbid = (name, comment, from, to) => ({ name, comment, severity: "error", from, to });

const leftward = slices
  .slice(0, -1)
  .map((slice, at) =>
    forbid(
      `${slice}-imports-leftward-only`,
      `A slice imports only slices to its left: ${slices.join(" → ")}.`,
      { path: `${core}/${slice}/` },
      { path: `${core}/(?:${slices.slice(at + 1).join("|")})/` },
    ),
  );

/** @type {import("dependency-cruiser").IConfiguration} */
export default {
  forbidden: [
    forbid("no-cycles", "Modules form no cycle, not even of types.", {}, { circular: true }),
    forbid(
      "resolves",
      "Every import leads somewhere. A path that `exports` does not offer leads nowhere.",
      {},
      { couldNotResolve: true },
    ),

    // Between the parts of the workspace.
    forbid(
      "packages-through-exports",
      "Another part of the workspace is imported by its name, never by a relative path.",
      { path: "^((?:apps|packages)/[^/]+|bench|tools)/" },
      { path: "^(?:apps|packages|bench)/", pathNot: "^$1/", dependencyTypes: ["local"] },
    ),
    forbid(
      "exports-are-few",
      "Of a package only what `exports` names is seen from outside.",
      { path: "^((?:apps|packages)/[^/]+|bench|tools)/" },
      { path: "^packages/", pathNot: ["^$1/", "^packages/[^/]+/src/(?:testing/)?index[.]ts$"] },
    ),
    forbid(
      "packages-below-apps",
      "A package knows no app, and an app no other app.",
      { path: "^((?:apps|packages)/[^/]+)/" },
      { path: "^(?:apps|bench|tools)/", pathNot: "^$1/" },
    ),
    forbid(
      "api-knows-no-client",
      "The hub knows nobody who calls it.",
      { path: "^packages/api/", pathNot: test },
      { path: "^packages/client/" },
    ),
    forbid(
      "types-only-from-api",
      "What calls the hub from outside takes only types from it.",
      { path: "^(?:apps/(?:web|cli)|packages/client)/", pathNot: test },
      { path: "^packages/api/", dependencyTypesNot: ["type-only", "type-import"] },
    ),

    // Between the slices.
    ...leftward,
    forbid(
      "rooms-imports-no-sibling",
      "The live part is pure: no sibling slice.",
      { path: `${core}/rooms/` },
      { path: anySlice, pathNot: `${core}/rooms/` },
    ),
    forbid(
      "rooms-knows-no-table",
      "The live part is pure: no table, no tRPC, no HTTP.",
      { path: `${core}/rooms/`, pathNot: test },
      { path: [trpc, orm, fastify, `${core}/(?:trpc[.]ts|db/|rest/|doors/)`, "[.]entity[.]ts$"] },
    ),
    forbid(
      "routers-in-one-list",
      "Only packages/api/src/router.ts imports routers.",
      { pathNot: `${core}/router[.]ts$` },
      { path: `${core}/.+[.]router[.]ts$` },
    ),

    // In a slice: router → service → entity.
    forbid(
      "router-calls-services",
      "A router reaches tables through its service.",
      { path: `${anySlice}.+[.]router[.]ts$` },
      { path: "[.]entity[.]ts$" },
    ),
    forbid(
      "entity-is-lowest",
      "A table knows no rule.",
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
      "rules-know-no-door",
      "Services, entities and what they use know neither tRPC nor Fastify nor a door.",
      { path: anySlice, pathNot: [test, "[.]router[.]ts$"] },
      { path: [trpc, fastify, `${core}/(?:trpc[.]ts|rest/|doors/|router[.]ts)`, "^apps/"] },
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
      "What helps tests is not part of the program.",
      { path: "^(?:apps|packages)/", pathNot: test },
      { path: test, pathNot: "node_modules" },
    ),
    forbid("tests-stand-alone", "Nobody imports a test.", {}, { path: "[.]test[.]tsx?$" }),
    forbid(
      "dev-tools-only-in-tests",
      "The program runs with `dependencies` alone.",
      { path: "^(?:apps|packages)/[^/]+/src/", pathNot: test },
      { dependencyTypes: ["npm-dev"], dependencyTypesNot: ["type-only", "type-import"] },
    ),
    forbid(
      "names-say-what",
      "A file is named after what it does for the domain.",
      {},
      {
        path: "(?:^|/)(?:utils?|helpers?|common|types|managers?|base)(?:[.]|/)",
        pathNot: "node_modules",
      },
    ),
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    // Only our own build output: half of node_modules lives in a `dist` too.
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
