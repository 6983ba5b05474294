import type { AccessMatrix } from "../testing/access/access-matrix.ts";

/** Expected access to the operator's endpoints that move a hub (decisions §7). */
export const backupAccess: AccessMatrix = {
  "GET /admin/move": [["at any time", {}, { authorized: "200" }]],
  "POST /admin/move": [
    [
      "a hub without an embedded database",
      { database_url: "postgres://hub@localhost/hub" },
      { authorized: "404 not_found" },
    ],
    ["no database", {}, { authorized: "400 invalid_input" }],
    [
      "a URL that overrides settings of the hub",
      { database_url: "postgres://hub@localhost/hub?options=-c%20jit%3Don" },
      { authorized: "400 invalid_input" },
    ],
    [
      "another kind of database",
      { database_url: "mysql://x" },
      { authorized: "400 invalid_input" },
    ],
  ],
};
