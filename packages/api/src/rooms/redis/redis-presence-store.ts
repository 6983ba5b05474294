import type { Lease, Participant, PresenceStore, Present } from "../ports/presence-store.ts";
import { pollConnection } from "../ports/presence-store.ts";
import { memoryPresenceStore } from "../presence/memory-presence-store.ts";
import { CachedPresence } from "./cached-presence.ts";
import { ADOPT, LIST, RELEASE, RENEW } from "./presence-scripts.ts";
import type { RedisLink } from "./redis-link.ts";
import { redisScript } from "./redis-script.ts";

interface StoreOptions {
  link: RedisLink;
  /** Prefix of every key: separates the hubs that share one Redis. */
  prefix: string;
  now: () => number;
  /** How long all servers need to renew their leases after an outage of Redis, in milliseconds. */
  settleMs: number;
}

/**
 * The presence store of a hub with several servers, in Redis. While Redis is down, it lists this
 * server's participants, and other servers' participants until their last known leases expire.
 * After a reconnect this server stores its own leases again, since a restarted Redis is empty.
 */
export function redisPresenceStore({ link, prefix, now, settleMs }: StoreOptions): PresenceStore {
  const scripts = {
    renew: redisScript<number>(link, RENEW),
    release: redisScript<null>(link, RELEASE),
    adopt: redisScript<number>(link, ADOPT),
    list: redisScript<(string | number)[]>(link, LIST),
  };
  const local = memoryPresenceStore(now);
  const cached = new CachedPresence(now);

  const roomKeys = (roomKey: string) => [`${prefix}:here:${roomKey}`, `${prefix}:names:${roomKey}`];
  const leasesKey = (roomKey: string, id: string) => `${prefix}:leases:${roomKey}:${id}`;

  function storeLeases(
    roomKey: string,
    leases: readonly (Lease & { ms: number })[],
  ): Promise<number> {
    const keys = leases.map(({ participant }) => leasesKey(roomKey, participant.id));
    const args = leases.flatMap(({ participant, connection, ms }) => [
      connection,
      participant.id,
      encode(participant),
      Math.ceil(ms),
    ]);
    return scripts.renew([...roomKeys(roomKey), ...keys], args);
  }

  link.onReconnect(() => {
    for (const [roomKey, leases] of local.leases()) void link.or(storeLeases(roomKey, leases), 0);
  });

  return {
    async renew(roomKey, leases, leaseMs) {
      if (leases.length === 0) return false;
      const joined = await local.renew(roomKey, leases, leaseMs);
      const renewed = leases.map((lease) => ({ ...lease, ms: leaseMs }));
      return (await link.or(storeLeases(roomKey, renewed), Number(joined))) === 1;
    },

    async release(roomKey, lease, graceMs) {
      await local.release(roomKey, lease, graceMs);
      const { participant, connection } = lease;
      const keys = [...roomKeys(roomKey), leasesKey(roomKey, participant.id)];
      await link.or(scripts.release(keys, [connection, participant.id, graceMs]), null);
    },

    async adopt(roomKey, formerId, participant) {
      if (formerId === participant.id) return false;
      const adopted = await local.adopt(roomKey, formerId, participant);
      const keys = [formerId, participant.id].map((id) => leasesKey(roomKey, id));
      const { id } = participant;
      const args = [pollConnection(formerId), formerId, pollConnection(id), id];
      const moved = scripts.adopt([...roomKeys(roomKey), ...keys], [...args, encode(participant)]);
      return (await link.or(moved, Number(adopted))) === 1;
    },

    async list(roomKey) {
      const listed = await link.or<(string | number)[] | undefined>(
        scripts.list(roomKeys(roomKey), []),
        undefined,
      );
      const isComplete = listed !== undefined && performance.now() - link.upSince >= settleMs;
      if (listed) cached.update(roomKey, readParticipants(listed), isComplete);
      const known = cached.list(roomKey);
      return isComplete ? known : union(await local.list(roomKey), known);
    },
  };
}

/** Encodes a participant. The scripts replace `since_id`, so that it is always present. */
const encode = ({ since_id = null, ...participant }: StoredParticipant): string =>
  JSON.stringify({ ...participant, since_id });

/** Servers of the first release store no `since_id`. */
type StoredParticipant = Omit<Participant, "since_id"> & { since_id?: number | null | undefined };

function* readParticipants(answer: (string | number)[]): Iterable<[Participant, number]> {
  for (let n = 0; n + 1 < answer.length; n += 2) {
    const { since_id, ...participant }: StoredParticipant = JSON.parse(String(answer[n]));
    yield [{ ...participant, since_id: since_id ?? undefined }, Number(answer[n + 1])];
  }
}

function union(own: Present, others: Present): Present {
  const expiries = [own.nextExpiryMs, others.nextExpiryMs].filter((ms) => ms !== undefined);
  return {
    participants: new Map([...others.participants, ...own.participants]),
    nextExpiryMs: expiries.length > 0 ? Math.min(...expiries) : undefined,
  };
}
