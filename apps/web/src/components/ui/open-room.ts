import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { me, myChats, type RoomName } from "../../queries.ts";

export const isSameRoom = (one: RoomName, other: RoomName | undefined): boolean =>
  one.soul_id === other?.soul_id && one.session_token === other.session_token;

/** The address of a room, for a link or a navigation. */
export const linkTo = ({ soul_id, session_token }: RoomName) =>
  ({ to: "/chat/$id/$session", params: { id: soul_id, session: session_token } }) as const;

/** The room that the page's address names; undefined on other pages. */
export function useOpenRoom(): RoomName | undefined {
  const { id, session } = useParams({ strict: false });
  if (typeof id !== "number" || session === undefined) return undefined;
  return { soul_id: id, session_token: session };
}

/**
 * The number of the member's rooms with something new, as of the last answer; 0 for a guest. The
 * hook requests nothing: `RoomWatch` keeps the list fresh.
 */
export function useNewRooms(): number {
  const { data: user } = useQuery(me);
  const { data } = useQuery({ ...myChats, enabled: false });
  const open = useOpenRoom();
  if (!user || !data) return 0;
  // The open room shows its new messages itself.
  return data.sessions.filter((room) => room.unread > 0 && !isSameRoom(room, open)).length;
}
