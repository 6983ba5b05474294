import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { meanwhile } from "../../db/meanwhile.fixture.ts";
import { HubError } from "../../errors.ts";
import { cardPicture, cardText, importFile } from "../../souls/exchange/exchange.fixture.ts";
import { sha256 } from "../../souls/packages/packages.queries.ts";
import { dropSoul } from "../../souls/souls.service.ts";
import type { Actor } from "../../testing/actor.ts";
import { type ChatHub, startChatHub } from "../../testing/chat-hub.ts";
import { eventually } from "../../testing/eventually.ts";
import { testDatabases } from "../../testing/test-database.ts";
import {
  archiveOf,
  formerVersion,
  importArchive,
  roomFile,
  soulFiles,
} from "../archive.fixture.ts";

/** What may happen to the same souls while an archive is imported (0053). */
describe.runIf(testDatabases().includes("postgresql"))("an import of an archive", () => {
  let hub: ChatHub;
  let ada: Actor;
  beforeAll(async () => {
    hub = await startChatHub({ database: "postgresql" });
    ada = await hub.vip("ada");
  });
  afterAll(() => hub.close());

  it("leaves out a room whose soul is deleted meanwhile, and takes the others", async () => {
    await importArchive(ada, archiveOf({ ...soulFiles(7), ...soulFiles(8) }));
    const [{ id }] = (await ada.get("/api/my-souls")).body.data;
    const bytes = archiveOf({
      ...soulFiles(7),
      ...soulFiles(8),
      ...roomFile(1, { room: { soul_id: 7 } }),
      ...roomFile(2, { room: { soul_id: 8 } }),
    });
    const { status, body } = await meanwhile(hub.hub.database.db, () => importArchive(ada, bytes), {
      lock: (tx) => dropSoul(tx, { id, domain: "" }),
    });
    expect([status, body.rooms]).toEqual([200, { created: 1, unchanged: 0 }]);
    expect(body.skipped).toEqual([
      { path: expect.stringMatching(/^rooms/), reason: "its soul is not on this hub" },
    ]);
  });

  it("and one of a file for the same soul both succeed", async () => {
    const { body } = await importFile(ada, cardPicture());
    const own = archiveOf(roomFile(4_001, { room: { soul_id: body.id } }), {
      hub_id: hub.hub.database.id,
    });
    const { db } = hub.hub.database;
    const waiting = (count: number) =>
      eventually(async () => {
        const { rows } = await sql`select from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`.execute(db);
        expect(rows).toHaveLength(count);
      });
    const pending = await db.transaction().execute(async (tx) => {
      await sql`select from souls where id = ${body.id} for update`.execute(tx);
      const file = importFile(ada, cardPicture(cardText({ scenario: "A storm." })), {
        soul_id: body.id,
      });
      await waiting(1);
      const archive = importArchive(ada, own);
      await waiting(2);
      return { answers: Promise.all([file, archive]) };
    });
    const answers = await pending.answers;
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(answers[1]?.body.rooms.created).toBe(1);
  });
});

/** A soul whose present state and former version are read in a thread. */
const formerCard = '{"spec":"chara_card_v3","data":{"nickname":"Orla"}}';
const withFormerCard = () =>
  archiveOf(
    soulFiles(7, {
      former: [
        {
          ...formerVersion,
          package: [{ path: "card/card.json", sha256: sha256(formerCard) }],
        },
      ],
      files: { [`packages/${sha256(formerCard)}`]: formerCard },
    }),
  );

/** An embedded database runs one transaction at a time (0053). */
describe("an import of an archive that waits for a reading thread", () => {
  it.each(["soulOfFiles", "cardNickname"])("holds no transaction during %s", async (task) => {
    await using hub = await startChatHub({ database: "pglite" });
    const ada = await hub.vip("ada");
    const { formats } = hub.hub;
    const run = formats.run.bind(formats) as (...call: unknown[]) => Promise<never>;
    const [held, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    vi.spyOn(formats, "run").mockImplementation(async (name, ...args) => {
      if (name === task) {
        held.resolve();
        await released.promise;
      }
      return run(name, ...args);
    });
    const importing = importArchive(ada, withFormerCard());
    await held.promise;
    const listed = await hub.guest().get("/api/souls");
    released.resolve();
    const { body } = await importing;
    expect([listed.status, body]).toMatchObject([200, { versions: { created: 1 } }]);
  });

  it("goes on after too many others have waited", async () => {
    await using hub = await startChatHub({ database: "pglite" });
    const ada = await hub.vip("ada");
    vi.spyOn(hub.hub.formats, "run").mockRejectedValueOnce(new HubError("overloaded"));
    const { status, body } = await importArchive(ada, withFormerCard());
    expect([status, body.souls?.created]).toEqual([200, 1]);
  });
});
