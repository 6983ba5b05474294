import type { AccessMatrix } from "../testing/access/access-matrix.ts";

/** Expected access to the operator's endpoints for passes (decisions §5, Passes). */
export const passStatuses: AccessMatrix = {
  "GET /admin/pass": [
    ["an account", { username: "ona" }, "200"],
    ["an unknown user", { username: "nobody-here" }, "404 user_not_found"],
  ],
  "POST /admin/pass": [
    ["an account", { username: "keeper", tier: "vip", days: 1 }, "200"],
    ["an unknown user", { username: "nobody-here", tier: "vip", days: 1 }, "404 user_not_found"],
    ["neither days nor expires_at", { username: "keeper", tier: "vip" }, "400 invalid_input"],
  ],
};
