import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { openRoom, say, startChatHub } from "../../testing/chat-hub.ts";
import { seeded } from "../../testing/random-numbers.ts";
import { testDatabases } from "../../testing/test-database.ts";
import { roomRow } from "./tree.fixture.ts";

const LINES = 400;
/**
 * 0038: the SQL functions that walk a path, compared with a walk from parent to parent.
 * @param questions the number of random walks
 */
export function describePathModel(questions: number): void {
  describe.each(testDatabases())("a path (on %s)", (database) => {
    it("consists of the messages from its end to the root", async () => {
      const seed = Math.floor(Math.random() * 2 ** 31);
      const next = seeded(seed);
      const random = (below: number) => Math.floor(next() * below);
      await using hub = await startChatHub({ database });
      const { db } = hub.hub.database;
      const vera = await hub.vip("vera");
      const room = await openRoom(vera);
      await say(vera, room, "Hello.");
      const { id: roomId, head_id } = await roomRow(hub, room);
      const parents = new Map([
        [head_id - 1, 0],
        [head_id, head_id - 1],
      ]);
      const rows = Array.from({ length: LINES }, (_, n) => {
        // The ids of a room have gaps, since all rooms share one sequence.
        const ids = [...parents.keys()];
        const prev_id = ids.at(-1) ?? 0;
        const id = prev_id + 1 + random(3);
        // Two thirds of the messages continue the one before; some begin a tree.
        const isBranch = random(3) === 0;
        const parent = random(20) === 0 ? 0 : (ids[random(ids.length)] ?? 0);
        parents.set(id, isBranch ? parent : prev_id);
        const line = { room_id: roomId, role: "user", sender: "account:1", sender_name: "vera" };
        const parent_id = isBranch && parent !== prev_id ? parent : null;
        return { ...line, id, prev_id, parent_id, content: `Line ${n}.` };
      });
      await db.insertInto("chat_messages").values(rows).execute();
      const pathTo = (leaf: number) => {
        const path: number[] = [];
        for (let id = leaf; id > 0; id = parents.get(id) ?? 0) path.push(id);
        return path;
      };
      const ids = [...parents.keys()];
      for (let n = 0; n < questions; n++) {
        const leaf = ids[random(ids.length)] ?? 0;
        const before = random(2) === 0 ? null : (ids[random(ids.length)] ?? 0);
        const limit = 1 + random(30);
        const { rows: found } = await sql<{ id: number }>`
        select id from path_messages(${roomId}, ${leaf}, ${before}, ${limit})`.execute(db);
        const path = pathTo(leaf);
        expect(
          found.map(({ id }) => id),
          `seed ${seed}: the path to ${leaf} before ${before}`,
        ).toEqual(path.filter((id) => before === null || id < before).slice(0, limit));

        const after = random(2) === 0 ? 0 : (ids[random(ids.length)] ?? 0);
        const { rows: later } = await sql<{ id: number }>`
        select id from open_messages_after(${roomId}, ${leaf}, ${after}, ${limit})`.execute(db);
        expect(
          later.map(({ id }) => id),
          `seed ${seed}: the path to ${leaf} after ${after}`,
        ).toEqual(
          path
            .filter((id) => id > after)
            .reverse()
            .slice(0, limit),
        );

        const line = ids[random(ids.length)] ?? 0;
        const { rows: ranges } = await sql<{ is_on_path: boolean }>`
        select ${line}::bigint <@ path_ranges(${roomId}, ${leaf}, ${line}) as is_on_path`.execute(
          db,
        );
        expect(ranges[0]?.is_on_path, `seed ${seed}: ${line} on the path to ${leaf}`).toBe(
          path.includes(line),
        );
      }
    });
  });
}
