import { memoryPresenceStore } from "../memory-presence-store.ts";
import type { Lease, Participant, PresenceStore, Present } from "../presence-store.ts";
import { pollConnection } from "../presence-store.ts";
import { ADOPT, LIST, RELEASE, RENEW } from "./presence-scripts.ts";
import type { RedisLink } from "./redis-link.ts";
import { redisScript } from "./redis-script.ts";
import { RememberedPresence } from "./remembered-presence.ts";

interface StoreOptions {
  link: RedisLink;
  /** Before every key: what keeps two hubs on one Redis apart. */
  prefix: string;
  now: () => number;
  /** After Redis was away, every other server has renewed its leases within this time. */
  settleMs: number;
}

/**
 * Presence over all servers, in Redis. While Redis is away this server's own leases count, and what
 * it last knew of the others until their leases would have run out; when it is back this server
 * tells it of its own, since a Redis that was started anew knows nobody.
 */
export function redisPresenceStore({ link, prefix, now, settleMs }: StoreOptions): PresenceStore {
  const scripts = {
    renew: redisScript<number>(link, RENEW),
    release: redisScript<null>(link, RELEASE),
    adopt: redisScript<number>(link, ADOPT),
    list: redisScript<(string | number)[]>(link, LIST),
  };
  const own = memoryPresenceStore(now);
  const remembered = new RememberedPresence(now);

  const roomKeys = (roomKey: string) => [`${prefix}:here:${roomKey}`, `${prefix}:names:${roomKey}`];
  const leasesKey = (roomKey: string, id: string) => `${prefix}:leases:${roomKey}:${id}`;

  function tell(roomKey: string, leases: readonly (Lease & { ms: number })[]): Promise<number> {
    const keys = leases.map(({ participant }) => leasesKey(roomKey, participant.id));
    const args = leases.flatMap(({ participant, connection, ms }) => [
      connection,
      participant.id,
      JSON.stringify(participant),
      Math.ceil(ms),
    ]);
    return scripts.renew([...roomKeys(roomKey), ...keys], args);
  }

  link.onReturn(() => {
    for (const [roomKey, leases] of own.held()) void link.or(tell(roomKey, leases), 0);
  });

  return {
    async renew(roomKey, leases, leaseMs) {
      if (leases.length === 0) return false;
      const joined = await own.renew(roomKey, leases, leaseMs);
      const renewed = leases.map((lease) => ({ ...lease, ms: leaseMs }));
      return (await link.or(tell(roomKey, renewed), Number(joined))) === 1;
    },

    async release(roomKey, lease, graceMs) {
      await own.release(roomKey, lease, graceMs);
      const { participant, connection } = lease;
      const keys = [...roomKeys(roomKey), leasesKey(roomKey, participant.id)];
      await link.or(scripts.release(keys, [connection, participant.id, graceMs]), null);
    },

    async adopt(roomKey, formerId, participant) {
      if (formerId === participant.id) return false;
      const adopted = await own.adopt(roomKey, formerId, participant);
      const keys = [formerId, participant.id].map((id) => leasesKey(roomKey, id));
      const { id } = participant;
      const args = [pollConnection(formerId), formerId, pollConnection(id), id];
      const asked = scripts.adopt(
        [...roomKeys(roomKey), ...keys],
        [...args, JSON.stringify(participant)],
      );
      return (await link.or(asked, Number(adopted))) === 1;
    },

    async list(roomKey) {
      const here = await link.or<(string | number)[] | undefined>(
        scripts.list(roomKeys(roomKey), []),
        undefined,
      );
      const isWhole = here !== undefined && performance.now() - link.upSince >= settleMs;
      if (here) remembered.note(roomKey, readHere(here), isWhole);
      const known = remembered.list(roomKey);
      return isWhole ? known : together(await own.list(roomKey), known);
    },
  };
}

function* readHere(answer: (string | number)[]): Iterable<[Participant, number]> {
  for (let n = 0; n + 1 < answer.length; n += 2) {
    yield [JSON.parse(String(answer[n])), Number(answer[n + 1])];
  }
}

function together(own: Present, others: Present): Present {
  const expiries = [own.nextExpiryMs, others.nextExpiryMs].filter((ms) => ms !== undefined);
  return {
    participants: new Map([...others.participants, ...own.participants]),
    nextExpiryMs: expiries.length > 0 ? Math.min(...expiries) : undefined,
  };
}
