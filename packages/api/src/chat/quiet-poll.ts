import { type Caller, participantId } from "../accounts/caller.ts";
import type { CallContext, Hub } from "../context.ts";
import type { PollAnswer } from "../rooms/active-rooms.ts";
import type { Participant } from "../rooms/presence-store.ts";
import { andThen, type Soon } from "../soon.ts";
import { doorOf } from "./room-access.ts";

/** What an answer of chat-sync without news was made of. */
interface Quiet extends Omit<PollAnswer, "head"> {
  key: string;
  /** The room's; undefined: nobody has written in it. */
  owner: string | undefined;
  participant: Participant;
  head: number;
}

/**
 * Tells the door how long an answer without news stands (docs/decisions/0021): as long as all that
 * it was made of is found to be the same when it is looked at again. Who may enter must be known
 * without reading it, and the caller must need no cookie.
 */
export function offerQuiet({ hub, caller, standsWhile }: CallContext, quiet: Quiet): void {
  const { key, owner, replies } = quiet;
  if (!standsWhile || owner === undefined || replies.length > 0) return;
  if (doorOf(hub, key)?.owner !== owner || needsCookie(caller)) return;
  standsWhile((caller) => isStillQuiet(hub, quiet, caller));
}

/**
 * Asks for the caller's right, takes their sign of life and looks, as {@link syncRoom} does. A guest
 * whose cookie is new was rid of its former self before `present` was read: where that is the same,
 * the former one is not there again.
 */
function isStillQuiet(hub: Hub, quiet: Quiet, caller: Caller): Soon<boolean> {
  const { key, participant } = quiet;
  if (doorOf(hub, key)?.owner !== quiet.owner || needsCookie(caller)) return false;
  if (!isThe(participant, caller)) return false;
  return andThen(
    hub.rooms.poll(key, participant),
    ({ head, replies, present }) =>
      head === quiet.head && replies.length === 0 && areSame(present, quiet.present),
  );
}

const needsCookie = (caller: Caller) => caller.kind === "guest" && caller.guest.keep() !== null;

/** A guest's name follows from its id. */
const isThe = ({ id, name }: Participant, caller: Caller) =>
  id === participantId(caller) && (!("account" in caller) || name === caller.account.username);

const isSame = (one: Participant, other: Participant | undefined) =>
  one.id === other?.id && one.name === other.name;

/** In the same order: the answer names them in it. */
function areSame(now: PollAnswer["present"], then: PollAnswer["present"]): boolean {
  if (now === then) return true;
  if (now.size !== then.size) return false;
  const before = then.values();
  for (const one of now.values()) if (!isSame(one, before.next().value)) return false;
  return true;
}
