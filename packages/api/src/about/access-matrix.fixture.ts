import type { AccessMatrix } from "../testing/access/access-matrix.ts";

/** Expected access to the hub's description of itself (0058). */
export const aboutStatuses: AccessMatrix = {
  "GET /hub": [["at any time", {}, { authorized: "200" }]],
};
