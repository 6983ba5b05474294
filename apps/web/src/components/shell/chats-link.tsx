import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { me } from "../../queries.ts";
import { NewCount } from "../room-list/new-count.tsx";
import { useNewRooms } from "../ui/open-room.ts";

/** A member's link to the list of rooms, with the number of those with something new. */
export function ChatsLink({ className = "" }: { className?: string }) {
  const { data: user } = useQuery(me);
  const count = useNewRooms();
  if (!user) return null;
  return (
    <Link
      to="/my-chats"
      activeOptions={{ includeSearch: false }}
      className={`row row--center ${className}`}
    >
      My chats <NewCount count={count} what={count === 1 ? "room with news" : "rooms with news"} />
    </Link>
  );
}
