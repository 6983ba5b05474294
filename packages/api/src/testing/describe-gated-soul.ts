import { afterAll, beforeAll, beforeEach, describe } from "vitest";
import type { Actor } from "./actor.ts";
import type { RoomName } from "./chat-hub.ts";
import { type GatedHub, startGatedHub } from "./gated-hub.ts";

/** A soul behind an NFT gate, its owner and two other accounts. Each test gets a new soul. */
export interface GatedSoul {
  id: number;
  /** The name of a room of the gated soul. The room has no messages. */
  room: RoomName;
  owner: Actor;
  /**
   * An account whose verified wallet owns a token of the gate's contract. Each test gets a new one.
   */
  holder: Actor;
  /** An account without a wallet. */
  stranger: Actor;
}

/**
 * Declares a suite with a gated hub of its own. Before each test the NEAR node answers again, and its
 * earlier answers are no longer cached.
 * @param suite receives the hub and the gated soul; their members are available in hooks and tests
 *   only
 */
export function describeGatedSoul(
  name: string,
  suite: (hub: GatedHub, soul: GatedSoul) => void,
): void {
  describe(name, () => {
    const hub = {} as GatedHub;
    const soul = {} as GatedSoul;
    let holders = 0;
    beforeAll(async () => {
      Object.assign(hub, await startGatedHub());
      soul.owner = hub.people.owner;
      soul.stranger = hub.people["without a wallet"];
    });
    beforeEach(async () => {
      hub.near.fault = null;
      hub.passTime(60_000);
      soul.holder = await hub.holder(`holder-${++holders}`);
      soul.room = await hub.openGated();
      soul.id = soul.room.soul_id;
    });
    afterAll(() => hub.close());
    suite(hub, soul);
  });
}
