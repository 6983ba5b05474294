import type { Caller } from "../accounts/caller.ts";
import type { CallContext, Hub } from "../context.ts";
import type { PollAnswer } from "../rooms/active-rooms.ts";
import { type Participant, pollConnection } from "../rooms/presence-store.ts";
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
  const connection = pollConnection(quiet.participant.id);
  standsWhile((caller) => isStillQuiet(hub, quiet, connection, caller));
}

/** Asks for the caller's right, takes their sign of life and looks, as {@link syncRoom} does. */
function isStillQuiet(hub: Hub, quiet: Quiet, connection: string, caller: Caller): Soon<boolean> {
  const { key, participant } = quiet;
  if (doorOf(hub, key)?.owner !== quiet.owner || needsCookie(caller)) return false;
  // The door gives an answer again to the participant it was given to, who may have been renamed.
  if ("account" in caller && participant.name !== caller.account.username) return false;
  return andThen(
    hub.rooms.poll(key, participant, connection),
    ({ head, replies, present }) =>
      head === quiet.head &&
      replies.length === 0 &&
      areSame(present, quiet.present) &&
      !isThereTwice(caller, present),
  );
}

/** A guest whose cookie is new counts beside who they were without it, until that is adopted. */
const isThereTwice = (caller: Caller, present: PollAnswer["present"]) =>
  caller.kind === "guest" &&
  caller.guest.before !== null &&
  present.has(`guest:${caller.guest.before}`);

const needsCookie = (caller: Caller) => caller.kind === "guest" && caller.guest.keep() !== null;

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
