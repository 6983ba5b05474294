import type { AccessMatrix } from "../../testing/access/access-matrix.ts";

/** Expected access to the endpoints of blocked people (0064). The account `keeper` is blocked. */
export const blockStatuses: AccessMatrix = {
  "PUT /blocks": [
    ["another account", { username: "Keeper" }, "200"],
    ["an unknown name", { username: "nobody-at-all" }, "404 user_not_found"],
  ],
  "DELETE /blocks": [
    ["with or without a block", { username: "keeper" }, "200"],
    ["an unknown name", { username: "nobody-at-all" }, "404 user_not_found"],
  ],
};
