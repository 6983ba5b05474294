import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { fakeLog, fakeTime, member, pass, ROOM, settle, testRooms } from "../room.fixture.ts";

beforeEach(() => void fakeTime());
afterEach(() => void vi.useRealTimers());

it("reads on if the bus has delivered a full page of changes during the read", async () => {
  let gate: Promise<void> | undefined;
  const log = fakeLog(undefined, async () => gate);
  const hub = testRooms({ log, limits: { CHANGED_MESSAGES: 1 } });
  const [first, second, third] = [log.append(), log.append(), log.append()];
  const reader = hub.join(member("ada"));
  await settle();
  const changes = [first, second, third].map(({ id }) => log.change(`changed ${id}`, id));
  const held = Promise.withResolvers<void>();
  gate = held.promise;
  const [one, two, three] = changes;
  // The bus delivers the last change first. The page that is then read holds the first change alone.
  for (const change of [three, one, two]) if (change) hub.rooms.publishChange(ROOM, change);
  await settle();
  gate = undefined;
  held.resolve();
  await settle();
  const received = reader.of("changed").flatMap(({ messages = [] }) => messages);
  expect(received.map(({ content }) => content)).toEqual(["changed 1", "changed 2", "changed 3"]);
});

describe("the settings that a change of a soul makes the room read again", () => {
  const afterChange = async (isLoading: boolean) => {
    const released = Promise.withResolvers<void>();
    let gate: Promise<void> | undefined = isLoading ? released.promise : undefined;
    const log = fakeLog(undefined, async () => gate);
    const hub = testRooms({ log });
    const setVersion = (latest: number) => {
      log.souls[0] = { soul_id: 1, title: "Pilot", handle: "pilot", version: null, latest };
    };
    setVersion(1);
    const reader = hub.join(member("ada"));
    await settle();
    gate = released.promise;
    setVersion(2);
    hub.rooms.soulChanged(1);
    await settle();
    gate = undefined;
    setVersion(3);
    hub.rooms.soulChanged(1);
    await settle();
    released.resolve();
    await settle();
    const events = [...reader.of("sync"), ...reader.of("changed")];
    return events.at(-1)?.room?.souls[0]?.latest;
  };

  it("are the newest, although the first of two reads ends last", async () => {
    expect(await afterChange(false)).toBe(3);
  });

  it("are read after a failure, and after a change that the bus delivered during the read", async () => {
    let gate: Promise<void> | undefined;
    const log = fakeLog(undefined, async () => gate);
    const hub = testRooms({ log });
    const message = log.append();
    const reader = hub.join(member("ada"));
    const latest = () => reader.of("changed").findLast(({ room }) => room)?.room?.souls[0]?.latest;
    const soul = { soul_id: 1, title: "Pilot", handle: "pilot", version: null };
    log.souls[0] = { ...soul, latest: 1 };
    await settle();
    log.souls[0] = { ...soul, latest: 2 };
    vi.spyOn(log, "changes").mockRejectedValueOnce(new Error("no connection"));
    hub.rooms.soulChanged(1);
    await settle();
    expect([hub.errors.length, latest()]).toEqual([1, undefined]);
    await pass(1_000);
    expect(latest()).toBe(2);

    const held = Promise.withResolvers<void>();
    gate = held.promise;
    log.souls[0] = { ...soul, latest: 3 };
    hub.rooms.soulChanged(1);
    await settle();
    const { room: _, ...edit } = log.change("Edited.", message.id);
    hub.rooms.publishChange(ROOM, edit);
    gate = undefined;
    held.resolve();
    await settle();
    expect(latest()).toBe(3);
  });

  it("include a change of a soul that is being added", async () => {
    const hub = testRooms();
    const reader = hub.join(member("ada"));
    await settle();
    hub.log.souls[0] = { soul_id: 1, title: "Pilot", handle: "pilot", version: null, latest: 1 };
    const added = hub.log.change("with a soul");
    hub.log.souls[0] = { ...hub.log.souls[0], latest: 2 };
    hub.rooms.soulChanged(1);
    hub.rooms.publishChange(ROOM, added);
    await settle();
    expect(reader.of("changed").at(-1)?.room?.souls[0]?.latest).toBe(2);
  });

  it("are read once from a log that went back to a lower revision", async () => {
    const hub = testRooms();
    hub.log.souls[0] = { soul_id: 1, title: "Pilot", handle: "pilot", version: null, latest: 1 };
    hub.join(member("ada"));
    await settle();
    const former = { revision: 0, room: hub.log.end, messages: [] };
    hub.change("Later");
    await settle();
    const read = vi.spyOn(hub.log, "changes").mockResolvedValueOnce(former);
    hub.rooms.soulChanged(1);
    await settle();
    expect(read).toHaveBeenCalledOnce();
  });

  it("include a change while the room is being loaded", async () => {
    expect(await afterChange(true)).toBe(3);
  });
});
