import { rawZip } from "@soul-hub/soul-formats/testing";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cardText, importFile } from "../../souls/exchange/exchange.fixture.ts";
import type { Actor } from "../../testing/actor.ts";
import { type ChatHub, say, startChatHub } from "../../testing/chat-hub.ts";
import { testDatabases } from "../../testing/test-database.ts";
import { comparable, downloadArchive, importArchive } from "../archive.fixture.ts";

const kinds = testDatabases();

const text = fc.array(
  fc.constantFrom(
    "# Orla\n",
    "\r\n",
    "\ufeff",
    "🦊👩‍🚀",
    "{{char}} & <USER>",
    '{"a":1}',
    "ada",
    "\\",
  ),
  { minLength: 1, maxLength: 4 },
);
const words = text.map((pieces) => `x${pieces.join("")}`);
const line = words.map((given) => given.replace(/\s+/g, " ").trim());
const folder = fc
  .uniqueArray(fc.constantFrom("SOUL.md", "STYLE.md", "data.json", "soul.json"), { minLength: 1 })
  .chain((names) => fc.tuple(...names.map((name) => fc.tuple(fc.constant(name), words))))
  .map((files) => JSON.stringify(Object.fromEntries(files), null, 1));
const fields = fc.record({
  title: line,
  description: words,
  content: fc.oneof(words, folder),
  role: fc.constantFrom("Other", "software-engineering"),
  domain: fc.constantFrom("", "sea"),
  compatibility: fc.constantFrom("any", "claude"),
});
const edit = fc.record({ title: line, description: words, content: words }, { requiredKeys: [] });

/** What an account does: souls with edits and imports, and a room at each. */
const soul = fc.record({
  start: fc.oneof(
    fields.map((given) => ({ fields: given })),
    fc.record({ nickname: fc.constantFrom("", "Ori"), scenario: words }).map((card) => ({ card })),
    words.map((main) => ({ zip: { "SOUL.md": main, "soul.json": '{ "x": 1 }', "a/b.txt": main } })),
  ),
  edits: fc.array(fc.record({ note: fc.option(fc.constantFrom("Shorter.", "🦊")), change: edit }), {
    maxLength: 3,
  }),
  hides: fc.boolean(),
  messages: fc.array(
    fc.record({
      text: words,
      parent: fc.option(fc.nat(3)),
      change: fc.constantFrom("", "edit", "remove"),
    }),
    { maxLength: 4 },
  ),
});
type Soul = typeof soul extends fc.Arbitrary<infer Made> ? Made : never;

async function publish(ada: Actor, { start }: Soul): Promise<number> {
  const send = () => {
    if ("fields" in start) return ada.post("/api/souls", start.fields);
    if ("card" in start)
      return importFile(ada, cardText({ ...start.card, description: "A keeper." }));
    const files = Object.entries(start.zip);
    return importFile(ada, rawZip(files.map(([path, content]) => ({ path, content }))));
  };
  const { body } = await send();
  if (!body.success) throw new Error(JSON.stringify(body));
  return body.id;
}

async function live(ada: Actor, given: Soul): Promise<void> {
  const id = await publish(ada, given);
  for (const { note, change } of given.edits) {
    if (Object.keys(change).length > 0) await ada.put(`/api/soul/${id}`, { ...change, note });
  }
  if (given.hides) await ada.put("/api/version", { soul_id: id, number: 1, is_hidden: true });
  const room = { soul_id: id, session_token: "lobby" };
  const asked: number[] = [];
  for (const { text: content, parent, change } of given.messages) {
    const parent_id = parent === null ? undefined : asked.at(parent);
    const { body } = await say(ada, room, content, parent_id === undefined ? {} : { parent_id });
    asked.push(body.message_id);
    if (change === "edit")
      await ada.put("/api/message", { ...room, id: body.question_id, content: "Edited." });
    if (change === "remove") {
      await ada.delete(`/api/message?soul_id=${id}&session_token=lobby&id=${body.question_id}`);
    }
  }
}

/**
 * Law 4 (0053): an account that leaves a hub arrives unchanged on another one.
 * @param numRuns the number of random accounts
 */
export function describeLaw4(numRuns: number): void {
  describe.skipIf(kinds.length < 2).each(kinds)("an account that leaves a hub on %s", (kind) => {
    let from: ChatHub;
    let to: ChatHub;
    beforeAll(async () => {
      from = await startChatHub({ database: kind });
      to = await startChatHub({ database: kinds.find((other) => other !== kind) ?? kind });
    });
    afterAll(async () => {
      await from.close();
      await to.close();
    });

    it("is the same after its import, and a second import makes nothing", async () => {
      let runs = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(soul, { minLength: 1, maxLength: 2 }), async (souls) => {
          const name = `ada-${++runs}`;
          const [ada, bea] = [await from.vip(name), await to.vip(`bea-${runs}`)];
          for (const one of souls) await live(ada, one);
          const archive = await downloadArchive(from, ada);
          const { body } = await importArchive(bea, archive);
          expect([body.skipped, body.souls]).toEqual([[], { created: souls.length, unchanged: 0 }]);
          const arrived = await downloadArchive(to, bea);
          expect(await comparable(arrived, bea.name)).toEqual(await comparable(archive, name));
          const again = await importArchive(bea, archive);
          for (const part of ["souls", "versions", "rooms", "lines"]) {
            expect([part, again.body[part].created]).toEqual([part, 0]);
          }
        }),
        { numRuns },
      );
    });
  });
}
