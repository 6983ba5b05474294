import type { AccessMatrix } from "../testing/access/access-matrix.ts";

/** Expected access to the operator's endpoints that move a hub (decisions §7). */
export const backupAccess: AccessMatrix = {
  "POST /admin/move": [
    [
      "a hub without an embedded database",
      { database_url: "postgres://hub@localhost/hub" },
      "404 not_found",
    ],
    [
      "a URL that overrides settings of the hub",
      { database_url: "postgres://hub@localhost/hub?options=-c%20jit%3Don" },
      "400 invalid_input",
    ],
    ["another kind of database", { database_url: "mysql://x" }, "400 invalid_input"],
  ],
};
