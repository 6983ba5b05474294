import { type FailureCode, HubError } from "../../errors.ts";

/** An SQL function that changes a room or a stored message. Its `failure` is a code (0039). */
export type ChangeFunction = "edit_message" | "remove_message" | "react_to_message" | "set_room";

/** The messages that replace the general ones of `errors.ts`. */
const messages: {
  readonly [Run in ChangeFunction]?: { readonly [Code in FailureCode]?: string };
} = {
  edit_message: {
    not_owner: "Only the sender of a message can edit it, and the room's owner a reply.",
  },
  remove_message: {
    not_owner: "Only the sender of a message and the room's owner can remove it.",
  },
  set_room: {
    not_owner: "Only the owner of this room can change its settings.",
    soul_not_eligible: "Only public souls without an NFT gate can join a room.",
  },
};

/** Returns the failure of a refused change. */
export function changeRefused(run: ChangeFunction, code: FailureCode): HubError {
  const message = messages[run]?.[code];
  return new HubError(code, message === undefined ? {} : { message });
}
