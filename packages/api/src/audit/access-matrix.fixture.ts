import type { AccessMatrix } from "../testing/access/access-matrix.ts";

/** Expected access to the audit log (0057). */
export const auditStatuses: AccessMatrix = {
  "GET /admin/audit": [
    ["at any time", {}, "200"],
    ["an unknown actor", { actor: "nobody-here" }, "404 user_not_found"],
    ["a limit of 0", { limit: 0 }, "400 invalid_input"],
  ],
};
