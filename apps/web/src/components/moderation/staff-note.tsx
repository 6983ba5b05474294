import { useQuery } from "@tanstack/react-query";
import { me } from "../../queries.ts";
import { lazyPart } from "../ui/lazy-part.tsx";

const NoModelNote = lazyPart(() => import("./no-model-note.tsx"), "NoModelNote");

/** What the staff should know of their hub, on the start page and in rooms. Others load nothing. */
export function StaffNote() {
  const { data: user } = useQuery(me);
  return user?.open_cases === undefined ? null : <NoModelNote />;
}
