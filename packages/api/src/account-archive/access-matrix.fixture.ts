import type { AccessMatrix } from "../testing/access/access-matrix.ts";

/** The access matrix of the archive of an account (0053). */
export const archiveStatuses: AccessMatrix = {
  "GET /export": [
    ["everything", {}, { authorized: "200" }],
    ["souls alone", { include: "souls" }, { authorized: "200" }],
    ["an unknown part", { include: "secrets" }, { authorized: "400 invalid_input" }],
  ],

  "POST /import": [
    [
      "no file",
      {},
      { authorized: "400 import_invalid" },
      { raw: "", headers: { "content-type": "application/zip" } },
    ],
    [
      "an unknown value",
      { dry_run: "perhaps" },
      { authorized: "400 invalid_input" },
      { raw: "x", headers: { "content-type": "application/zip" } },
    ],
  ],
};
