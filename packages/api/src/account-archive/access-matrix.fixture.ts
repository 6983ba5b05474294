import type { AccessMatrix } from "../testing/access/access-matrix.ts";

/** The access matrix of the archive of an account (0052). */
export const archiveStatuses: AccessMatrix = {
  "GET /export": [
    ["everything", {}, { authorized: "200" }],
    ["souls alone", { include: "souls" }, { authorized: "200" }],
    ["an unknown part", { include: "secrets" }, { authorized: "400 invalid_input" }],
  ],
};
