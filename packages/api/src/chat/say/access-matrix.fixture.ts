import type { AccessMatrix } from "../../testing/access/access-matrix.ts";
import { inNewRoom, inQuietRoom, ofRoom } from "../../testing/access/requests.ts";
import { entering } from "../access-matrix.fixture.ts";

/** Expected access to POST /api/say: as to POST /api/chat. */
export const sayAccess: AccessMatrix = {
  "POST /say": [
    ...entering({ content: "Hello." }),
    [
      "a room in which only its owner may talk",
      inQuietRoom({ content: "Hello." }),
      ofRoom("403 muted", "200"),
    ],
    [
      "8,001 characters",
      inNewRoom({ content: "x".repeat(8_001) }),
      { vip: "400 input_too_long", pro: "200", key: "403 pass_required" },
    ],
    ["a blank message", inNewRoom({ content: " " }), "400 invalid_input"],
  ],
};
