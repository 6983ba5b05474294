import { type AccessMatrix, outcomesIn, type Row } from "../../testing/access/access-matrix.ts";
import { inNewRoom, ofRoom } from "../../testing/access/requests.ts";
import { entering, refusals } from "../access-matrix.fixture.ts";
import { firstMessage } from "../changes/access-matrix.fixture.ts";

const withoutPass = { key: "403 pass_required", expired: "403 pass_expired" } as const;

/** Keys without a pass read only the rooms that they own. */
const exporting = entering({ format: "md" }).map((row): Row => {
  const outcomes = outcomesIn(row);
  const isRead = "authorized" in outcomes && outcomes.authorized !== "400 invalid_input";
  return isRead ? [row[0], row[1], { ...outcomes, ...withoutPass }] : row;
});

/** Expected access to the endpoints of unread messages, search and export (0042). */
export const readingAccess: AccessMatrix = {
  "PUT /seen": [
    ...refusals({ id: 2 ** 53 - 1 }, "404 message_not_found"),
    ["the first message", firstMessage, ofRoom("200")],
  ],
  "GET /chat-search": [
    ["a text", { q: "come in" }, "200"],
    ["one character", { q: "c" }, "400 invalid_input"],
  ],
  "GET /chat-export": [
    ...exporting,
    ["an unknown format", inNewRoom({ format: "pdf" }), "400 invalid_input"],
  ],
};
