import { useMemo } from "react";
import { useRoomContext } from "../../room-context.ts";

/** Someone that a message can mention. */
export interface MentionChoice {
  /** What follows the `@`: the handle of a soul or the name of an account. */
  name: string;
  /** The title of a soul; undefined for a person. */
  title?: string;
  soulId?: number;
}

const SHOWN = 6;

/** The souls of the room, then the accounts that are here or have written here, that match. */
export function useMentionChoices(query: string | undefined): readonly MentionChoice[] {
  const { room, path, selfName } = useRoomContext();
  const { participants } = room;
  const souls = room.room?.souls;
  const isWanted = query !== undefined;
  const all = useMemo((): readonly MentionChoice[] => {
    if (!isWanted) return [];
    const present = participants.map(({ name }) => name);
    const writers = path.shown.filter(({ role }) => role === "user").reverse();
    const names = new Set([...present, ...writers.map(({ sender_name }) => sender_name)]);
    const people = [...names].filter((name) => name !== selfName && isUsername(name));
    const handles = (souls ?? []).map(({ soul_id, handle, title }) => ({
      name: handle,
      title,
      soulId: soul_id,
    }));
    return [...handles, ...people.map((name) => ({ name }))];
  }, [isWanted, participants, souls, path.shown, selfName]);
  const wanted = plain(query ?? "");
  const found = all.filter(
    ({ name, title = "" }) =>
      name.toLowerCase().startsWith(wanted) || plain(title).includes(wanted),
  );
  // A name that is typed out is complete, unless it begins another one.
  const [only] = found;
  const isComplete = found.length === 1 && only?.name.toLowerCase() === wanted;
  return isComplete ? [] : found.slice(0, SHOWN);
}

const plain = (text: string): string => text.normalize("NFKC").toLowerCase();

/** No mention reaches a guest: its name contains a space. */
const isUsername = (name: string): boolean => !/\s/.test(name);
