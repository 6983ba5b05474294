import type { AccessMatrix } from "../../testing/access/access-matrix.ts";

/** Expected access to the endpoints of blocked people (0064). The account `keeper` is blocked. */
export const blockStatuses: AccessMatrix = {
  "GET /blocks": [["at any time", {}, { authorized: "200" }]],

  "PUT /blocks": [
    ["another account", { username: "Keeper" }, { authorized: "200" }],
    ["an unknown name", { username: "nobody-at-all" }, { authorized: "404 user_not_found" }],
    ["no name", {}, { authorized: "400 invalid_input" }],
  ],

  "DELETE /blocks": [
    ["with or without a block", { username: "keeper" }, { authorized: "200" }],
    ["an unknown name", { username: "nobody-at-all" }, { authorized: "404 user_not_found" }],
    ["no name", {}, { authorized: "400 invalid_input" }],
  ],
};
