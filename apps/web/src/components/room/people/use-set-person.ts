import { useMutation } from "@tanstack/react-query";
import { hub } from "../../../hub.ts";
import { type PersonChange, peopleOf } from "../../../queries.ts";
import { afterChange } from "../../feedback/after-change.ts";
import { useRoomContext } from "../room-context.ts";

/** Names a person to the hub: the sender of a message, or an entry of the list of people. */
export type PersonTarget = { message_id: number } | { person: string };

/** Changes what a person may do in the owner's room. Without minutes, a restriction has no end. */
export function useSetPerson(target: PersonTarget, onDone: () => void) {
  const { roomName } = useRoomContext();
  return useMutation({
    mutationFn: (change: PersonChange) =>
      hub.rooms.setPerson.mutate({ ...roomName, ...target, ...change }),
    onSuccess: afterChange([peopleOf(roomName).queryKey], onDone),
  });
}
