import { describe, expect, it, vi } from "vitest";
import { openRoom, remaining, say, startChatHub } from "../../testing/chat-hub.ts";
import { eventually } from "../../testing/eventually.ts";
import { withStoringFaults } from "../../testing/storing-faults.ts";
import { emptyDatabase, testDatabases } from "../../testing/test-database.ts";
import { roomRow, roomRows } from "./tree.fixture.ts";

/** docs/decisions/0023 holds for replies alone, too. */
describe.each(testDatabases())("a regeneration (on %s)", (kind) => {
  it.each(["statements", "responses"] as const)(
    "is stored and charged once if %s are lost",
    async (what) => {
      const faults = withStoringFaults(await emptyDatabase(kind));
      await using hub = await startChatHub({ database: faults.database });
      const vera = await hub.vip("vera");
      const room = await openRoom(vera);
      const { body } = await say(vera, room, "Is it dark?");
      const left = await remaining(vera);
      faults.lose(what);
      const published = vi.spyOn(hub.hub.rooms, "publishChange");
      const sent = say(vera, room, "", { regenerate: body.question_id });
      await eventually(() => expect(faults.count).toBeGreaterThan(0));
      faults.lose("nothing");
      const answer = await sent;
      await faults.arrive();
      const [, , reply, ...more] = await roomRows(hub, room);
      expect(more).toEqual([]);
      expect(reply).toMatchObject({ parent_id: body.question_id, prev_id: body.message_id });
      expect(answer.body).toMatchObject({ message_id: reply?.id, question_id: body.question_id });
      expect(await remaining(vera)).toBe(left - 1);
      expect(await roomRow(hub, room)).toMatchObject({ path_epoch: 1, revision: 1 });
      // After a lost response, other changes may have followed: no server may skip them.
      const prev_revision = what === "responses" ? 1 : 0;
      expect(published.mock.lastCall?.[1]).toMatchObject({ revision: 1, prev_revision });
    },
  );
});
