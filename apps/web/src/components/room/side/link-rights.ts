import type { RoomState } from "@soul-hub/client";

type Talk = NonNullable<RoomState["room"]>["talk"];

/** Says what people with the link of a public room may do. */
export function rightsOf(talk: Talk = "anyone"): string {
  switch (talk) {
    case "anyone":
      return "Anyone with the link can read and write here, without an account.";
    case "members":
      return "Anyone with the link can read here. Writing needs an account.";
    case "owner":
      return "Anyone with the link can read here. Only the room’s owner writes.";
  }
}
