import type { AccessMatrix } from "../testing/access/access-matrix.ts";

const zip = { raw: "", headers: { "content-type": "application/zip" } };

/** The access matrix of the archive of an account (0053). */
export const archiveStatuses: AccessMatrix = {
  "GET /export": [
    ["everything", {}, "200"],
    ["souls alone", { include: "souls" }, "200"],
    ["an unknown part", { include: "secrets" }, "400 invalid_input"],
  ],
  "POST /import": [
    ["no file", {}, "400 import_invalid", zip],
    ["an unknown value", { dry_run: "perhaps" }, "400 invalid_input", { ...zip, raw: "x" }],
  ],
};
