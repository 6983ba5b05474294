import type { StatusTable } from "../testing/status-table.ts";

/** Decisions §5, Passes. */
export const passStatuses: StatusTable = {
  "GET /admin/pass": [
    ["an account", { username: "ona" }, { everybody: "200" }],
    ["an unknown user", { username: "nobody-here" }, { everybody: "404 user_not_found" }],
    ["no user", {}, { everybody: "400 invalid_input" }],
  ],

  "POST /admin/pass": [
    ["an account", { username: "keeper", tier: "vip", days: 1 }, { everybody: "200" }],
    [
      "an unknown user",
      { username: "nobody-here", tier: "vip", days: 1 },
      { everybody: "404 user_not_found" },
    ],
    ["no end", { username: "keeper", tier: "vip" }, { everybody: "400 invalid_input" }],
  ],
};
