import type { AccessMatrix } from "../../testing/access/access-matrix.ts";

/** Expected access to roles (0057). */
export const roleStatuses: AccessMatrix = {
  "PUT /admin/role": [
    ["an account", { username: "keeper", role: "member" }, "200"],
    ["an unknown user", { username: "nobody-here", role: "member" }, "404 user_not_found"],
    ["another role", { username: "keeper", role: "owner" }, "400 invalid_input"],
  ],
};
