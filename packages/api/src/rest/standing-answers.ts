import { type Caller, participantId } from "../accounts/caller.ts";
import type { StillStands } from "../context.ts";
import { ownCopy, RecentMap } from "../recent-map.ts";
import { andThen, type Soon } from "../soon.ts";

interface StandingAnswer {
  body: string;
  stands: StillStands;
}

/** Of addresses and answers together, some 20,000 askers' in rooms of a few people. */
const KEPT_CHARS = 16_000_000;

/**
 * The answers that one endpoint gave and may give again (docs/decisions/0021): the same text to the
 * same caller who asks at the same address, as long as whoever made it finds that it stands. All
 * that a call needs before its procedure has been done anew by then: its caller is known, counted
 * and admitted.
 */
export class StandingAnswers {
  readonly #answers = new RecentMap<StandingAnswer>(KEPT_CHARS);

  /** Undefined: the call has to be made. */
  again(caller: Caller, address: string): Soon<string | undefined> {
    const asked = nameOf(caller, address);
    const known = this.#answers.get(asked);
    if (!known) return undefined;
    return andThen(known.stands(caller), (stands) => {
      if (stands) return known.body;
      this.#answers.delete(asked);
      return undefined;
    });
  }

  keep(caller: Caller, address: string, answer: StandingAnswer): void {
    this.#answers.set(ownCopy(nameOf(caller, address)), answer, answer.body.length);
  }
}

const nameOf = (caller: Caller, address: string) => `${participantId(caller)} ${address}`;
