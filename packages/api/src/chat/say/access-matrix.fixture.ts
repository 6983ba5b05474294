import type { AccessMatrix } from "../../testing/access/access-matrix.ts";
import { entering } from "../access-matrix.fixture.ts";

/** Expected access to POST /api/say: as to POST /api/chat. */
export const sayAccess: AccessMatrix = {
  "POST /say": [
    ...entering({ content: "Hello." }),
    [
      "a room in which only its owner may talk",
      async ({ begunRoom, people }) => {
        const room = await begunRoom();
        await people.owner.put("/api/room", { ...room, talk: "owner" });
        return { ...room, content: "Hello." };
      },
      { authorized: "403 muted", blocked: "403 blocked", owner: "200" },
    ],
    [
      "8,001 characters",
      ({ newRoom }) => ({ ...newRoom(), content: "x".repeat(8_001) }),
      { vip: "400 input_too_long", pro: "200", key: "403 pass_required" },
    ],
    [
      "a blank message",
      ({ newRoom }) => ({ ...newRoom(), content: " " }),
      { authorized: "400 invalid_input" },
    ],
  ],
};
