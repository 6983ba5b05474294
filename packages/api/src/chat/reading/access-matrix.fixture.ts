import type { AccessMatrix, Row } from "../../testing/access/access-matrix.ts";
import { entering } from "../access-matrix.fixture.ts";
import { firstMessage, refusals } from "../changes/access-matrix.fixture.ts";

const withoutPass = { key: "403 pass_required", expired: "403 pass_expired" } as const;

/** Keys without a pass read only the rooms that they own. */
const exporting = entering({ format: "md" }).map((row): Row => {
  const [when, ask, outcomes, ...more] = row;
  const isRead = "authorized" in outcomes && outcomes.authorized !== "400 invalid_input";
  return isRead ? [when, ask, { ...outcomes, ...withoutPass }, ...more] : row;
});

/** Expected access to the endpoints of unread messages, search and export (0042). */
export const readingAccess: AccessMatrix = {
  "PUT /seen": [
    ...refusals({ id: 2 ** 53 - 1 }, "404 message_not_found"),
    ["the first message", firstMessage, { authorized: "200", blocked: "403 blocked" }],
  ],

  "GET /chat-search": [
    ["a text", { q: "come in" }, { authorized: "200" }],
    ["one character", { q: "c" }, { authorized: "400 invalid_input" }],
  ],

  "GET /chat-export": [
    ...exporting,
    [
      "an unknown format",
      ({ newRoom }) => ({ ...newRoom(), format: "pdf" }),
      { authorized: "400 invalid_input" },
    ],
  ],
};
