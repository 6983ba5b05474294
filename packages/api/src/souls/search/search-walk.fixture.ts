import { sql } from "kysely";
import { expect, it } from "vitest";
import { createWordModel } from "../../embedding/word-model.fixture.ts";
import type { Actor } from "../../testing/actor.ts";
import { eventually } from "../../testing/eventually.ts";
import { seeded } from "../../testing/random-numbers.ts";
import { type DatabaseKind, emptyDatabase } from "../../testing/test-database.ts";
import { startTestHub, type TestHub } from "../../testing/test-hub.ts";
import { sha256 } from "../packages/packages.queries.ts";
import { embeddedText } from "./embedded-text.ts";

const WISHES = ["homework for pupils", "comfort in grief", "corrects the grammar"];
/** Steps on different souls that run at the same time, beside the upkeep of both servers. */
const AT_ONCE = 8;
const MAX_SOULS = 60;
const CHECK_EVERY = 5;
/** The server `two` is away between these shares of the walk. */
const AWAY = { from: 0.3, to: 0.6 };

interface Author {
  actor: Actor;
  isSuspended: boolean;
}

interface Walked {
  id: number;
  author: Author;
  isPublic: boolean;
  isHidden: boolean;
  isGated: boolean;
  /** A word of title and description, and one of the text. No other soul has them, except forks. */
  word: string;
  inner: string;
  /** These words of all versions. */
  words: string[];
}

/** Changes souls at random on two servers of one hub, and compares the search with the souls. */
export const describeWalk = (database: DatabaseKind, steps: number, seed: number) =>
  it(`finds only listed souls after ${steps} steps on ${database}, seed ${seed}`, async () => {
    const random = seeded(seed);
    const pick = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)];
    const model = createWordModel();
    const shared = await emptyDatabase(database);
    const start = () => startTestHub({ database: shared, embeddingModel: model });
    const one = await start();
    let two: TestHub | undefined = await start();
    const { db } = one.hub.database;
    const operator = { authorization: "Bearer admin-token-of-the-test-hub" };
    const authors: Author[] = [];
    for (const name of ["ada", "ben", "cleo", "dan"]) {
      authors.push({ actor: await one.vip(name), isSuspended: false });
    }
    const souls: Walked[] = [];
    /** Words that no list has shown yet. */
    const secrets = new Set<string>();

    const isShown = ({ isPublic, isHidden, author }: Walked) =>
      isPublic && !isHidden && !author.isSuspended;
    /** Each word that a step shows ceases to be secret before the step. */
    const reveal = (soul: Walked) => {
      if (!isShown(soul)) return;
      secrets.delete(soul.word);
      if (!soul.isGated) secrets.delete(soul.inner);
    };
    let words = 0;
    const newWord = () => {
      const word = `qz${(words++ * 7919 + 1e6).toString(26).replace(/\d/g, (n) => "qrstuvwxyz"[+n] ?? "")}`;
      secrets.add(word);
      return word;
    };
    const textOf = ({ word, inner }: Pick<Walked, "word" | "inner">) => ({
      title: `Soul ${word}`,
      description: `${pick(WISHES)} ${word}`,
      content: `# Text\n\nThe ${inner} waits.`,
    });
    const succeed = async (call: ReturnType<Actor["get"]>) => {
      const { status, body } = await call;
      if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
      return body;
    };
    const put = ({ id, author }: Walked, fields: object) =>
      succeed(author.actor.put(`/api/soul/${id}`, fields));
    const administer = (what: string, fields: object) =>
      succeed(one.guest().post(`/api/admin/${what}`, fields, operator));

    const changes: ((soul: Walked) => Promise<unknown>)[] = [
      async function edit(soul) {
        const text = { word: newWord(), inner: newWord() };
        Object.assign(soul, text, { words: [...soul.words, text.word, text.inner] });
        reveal(soul);
        await put(soul, textOf(soul));
      },
      async function publishOrWithdraw(soul) {
        if (soul.isHidden) return;
        soul.isPublic = !soul.isPublic;
        reveal(soul);
        await put(soul, { is_public: Number(soul.isPublic) });
      },
      async function gate(soul) {
        soul.isGated = !soul.isGated;
        reveal(soul);
        await put(soul, { nft_contract: soul.isGated ? "gate.near" : null });
      },
      async function hide(soul) {
        soul.isHidden = !soul.isHidden;
        reveal(soul);
        await administer("hide", { soul_id: soul.id, hidden: soul.isHidden });
      },
      async function remove(soul) {
        souls.splice(souls.indexOf(soul), 1);
        await succeed(soul.author.actor.delete(`/api/soul/${soul.id}`));
      },
      async function restore(soul) {
        const { actor } = soul.author;
        const { data } = await succeed(actor.get(`/api/versions?soul_id=${soul.id}`));
        const version = pick(data.filter(({ id }: { id: number | null }) => id)) as
          | { id: number }
          | undefined;
        if (!version) return;
        for (const word of soul.words) secrets.delete(word);
        await succeed(actor.post("/api/versions", { soul_id: soul.id, version_id: version.id }));
        const restored = (await succeed(actor.get(`/api/soul/${soul.id}`))).data;
        soul.isGated = restored.nft_contract !== null;
        soul.word = restored.title.split(" ")[1];
        soul.inner = /qz\w+/.exec(restored.content)?.[0] ?? "";
      },
      async function fork(soul) {
        const author = pick(authors.filter((other) => other !== soul.author && !other.isSuspended));
        if (!author || !isShown(soul) || soul.isGated) return;
        const { new_soul_id } = await succeed(author.actor.post("/api/fork", { soul_id: soul.id }));
        souls.push({ ...soul, id: new_soul_id, author, isPublic: false, words: [] });
      },
    ];

    async function publish(): Promise<void> {
      const author = pick(authors.filter(({ isSuspended }) => !isSuspended));
      if (!author) return;
      const text = { word: newWord(), inner: newWord() };
      const soul = {
        ...{ id: 0, author, isPublic: random() < 0.7, isHidden: false, isGated: random() < 0.2 },
        ...{ ...text, words: [text.word, text.inner] },
      };
      reveal(soul);
      const fields = { is_public: Number(soul.isPublic) };
      const nft_contract = soul.isGated ? "gate.near" : null;
      const all = { ...textOf(soul), ...fields, nft_contract };
      soul.id = (await succeed(author.actor.post("/api/souls", all))).id;
      souls.push(soul);
    }

    async function suspend(): Promise<void> {
      const author = pick(authors.slice(1));
      if (!author) return;
      author.isSuspended = !author.isSuspended;
      for (const soul of souls) if (soul.author === author) reveal(soul);
      const { name } = author.actor;
      await administer("suspend", { username: name, suspended: author.isSuspended });
    }

    /** No answer and no place of the search holds what no list shows. */
    async function check(): Promise<void> {
      const { rows } = await sql<{ text: string }>`select term as text from soul_terms
        union all select concat_ws(' ', gained, lost) from soul_word_changes`.execute(db);
      // The questions below hold such words, so this comes before them.
      for (const texts of [rows.map(({ text }) => text), model.texts, one.log, two?.log ?? []]) {
        const told = texts.join(" ").match(/qz[a-z]+/g) ?? [];
        expect(told.filter((word) => secrets.has(word))).toEqual([]);
      }
      const shown = new Set(souls.filter(isShown).map(({ id }) => id));
      const server = pick([one, two ?? one]) ?? one;
      const soul = pick(souls.filter(({ author }) => !author.isSuspended));
      if (!soul) return;
      const slip = `${soul.word.slice(0, -1)}q`;
      for (const q of [pick(["school", "lonely", "spelling"]) ?? "", slip, soul.word]) {
        const { data, search } = await succeed(
          server.guest().get(`/api/souls?limit=100&${new URLSearchParams({ q })}`),
        );
        expect(idsOf(data).filter((id) => !shown.has(id))).toEqual([]);
        if (search.corrected) expect(secrets).not.toContain(search.corrected);
      }
      const { data } = await succeed(soul.author.actor.get(`/api/soul/${soul.id}/similar`));
      expect(idsOf(data).filter((id) => !shown.has(id) || !shown.has(soul.id))).toEqual([]);
      model.texts.length = 0;
      for (const { log } of [one, two ?? one]) log.length = 0;
    }

    for (let done = 0, batch = 0; done < steps; batch++) {
      const isAway = done > AWAY.from * steps && done < AWAY.to * steps;
      if (isAway && two) {
        await two.close();
        two = undefined;
      }
      if (!isAway) two ??= await start();
      const free = souls.filter(({ author }) => !author.isSuspended);
      const work = Array.from({ length: AT_ONCE }, () => {
        const [soul] = free.splice(Math.floor(random() * free.length), 1);
        const isNew = !soul || (souls.length < MAX_SOULS && random() < 0.3);
        return isNew ? publish() : pick(changes)?.(soul);
      });
      await Promise.all([...work, one.hub.searchUpkeep.run(), two?.hub.searchUpkeep.run()]);
      done += AT_ONCE;
      if (random() < 0.2) await suspend();
      if (batch % CHECK_EVERY === 0) await check();
    }
    await eventually(async () => {
      await one.hub.searchUpkeep.run();
      expect(one.hub.searchUpkeep.state).toMatchObject({ waiting: 0, state: "ready" });
      expect(await stored()).toEqual(await recounted());
    });
    await check();
    await Promise.all([one.close(), two?.close()]);

    async function stored() {
      const vectors = await sql<{ soul_id: number; text_hash: string }>`
        select soul_id, text_hash from soul_vectors order by soul_id`.execute(db);
      const terms = await sql<{ term: string }>`select term from soul_terms`.execute(db);
      return {
        hashes: vectors.rows.map((row) => [row.soul_id, row.text_hash]),
        terms: terms.rows.map(({ term }) => term).sort(),
      };
    }

    async function recounted() {
      const { rows } = await sql<Parameters<typeof embeddedText>[0] & { id: number }>`
        select id, title, description, role, domain,
          case when nft_contract is null then content else '' end as content from souls
        where is_public = 1 and is_listed order by id`.execute(db);
      const shown = souls.filter(isShown).map(({ id }) => id);
      expect(idsOf(rows)).toEqual(shown.sort((a, b) => a - b));
      const all = rows.map((row) => `${row.title} ${row.description} ${row.role} ${row.domain}`);
      const terms = new Set(
        all
          .join(" ")
          .toLowerCase()
          .match(/[a-z]{4,}/g),
      );
      return {
        hashes: rows.map((row) => [row.id, sha256(embeddedText(row))]),
        terms: [...terms].sort(),
      };
    }
  });

const idsOf = (rows: { id: number }[]) => rows.map(({ id }) => id);
