import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Actor } from "../../testing/actor.ts";
import { describeHub } from "../../testing/describe-chat.ts";
import { testDatabases } from "../../testing/test-database.ts";

/** Tests of the stage of text, GET /api/souls?match=text&q= (decisions §2; 0010). */
describeHub("search for souls", { databases: testDatabases() }, (hub) => {
  let ada: Actor;
  beforeAll(async () => {
    ada = await hub.member("ada");
  });
  beforeEach(async () => {
    await hub.hub.database.db.deleteFrom("souls").execute();
  });

  const publish = async (fields: object): Promise<number> => {
    const { status, body } = await ada.post("/api/souls", { content: "text", ...fields });
    expect(status).toBe(200);
    return body.id;
  };
  const publishTitles = async (...titles: string[]) => {
    for (const title of titles) await publish({ title });
  };
  const search = async (q: string, more = "") =>
    (await hub.guest().get(`/api/souls?match=text&q=${encodeURIComponent(q)}${more}`)).body;
  const titles = async (q: string, more = ""): Promise<string[]> =>
    (await search(q, more)).data.map(({ title }: { title: string }) => title);
  const like = (title: string, like_count: number) =>
    hub.hub.database.db
      .updateTable("souls")
      .set({ like_count })
      .where("title", "=", title)
      .execute();

  describe("order", () => {
    const best = ["Apple", "Apple Sage", "The Apple", "Banana", "Pineapple"];
    beforeEach(async () => {
      await publish({ title: "Banana", description: "An apple a day" });
      await publish({ title: "Pineapple" });
      await publishTitles("The Apple", "Apple Sage", "Apple", "Cherry");
      // The best match gets the fewest likes, so the expected order cannot result from likes.
      for (const [at, title] of best.entries()) await like(title, at * 10);
    });

    it("is exact title, title prefix, word in the title, word elsewhere, part of a word", async () => {
      expect(await titles("apple")).toEqual(best);
      expect(await search("apple")).toMatchObject({ count: 5, total: 5 });
    });

    it("follows `sort` only behind exact title and title prefix", async () => {
      const popular = ["Apple", "Apple Sage", "Pineapple", "Banana", "The Apple"];
      expect(await titles("apple", "&sort=popular")).toEqual(popular);
      const newest = ["Apple", "Apple Sage", "The Apple", "Pineapple", "Banana"];
      expect(await titles("apple", "&sort=newest")).toEqual(newest);
    });

    it("is likes, then forks, then the newer id within a tier", async () => {
      await publishTitles("Apple One", "Apple Two", "Apple Three");
      await like("Apple One", 11);
      await like("Apple Sage", 0);
      const begun = ["Apple One", "Apple Three", "Apple Two", "Apple Sage"];
      expect((await titles("apple")).slice(1, 5)).toEqual(begun);
    });

    it("is relevance within a tier of words", async () => {
      await publish({ title: "Once", description: "a zebra among many other words and more" });
      await publish({ title: "Domain", domain: "zebra" });
      await publish({ title: "Twice", description: "zebra zebra" });
      await like("Once", 9);
      expect(await titles("zebra")).toEqual(["Domain", "Twice", "Once"]);
    });

    it("has no gaps or duplicates across pages", async () => {
      const paged: string[] = [];
      for (let offset = 0; offset < 6; offset++) {
        paged.push(...(await titles("apple", `&limit=1&offset=${offset}`)));
      }
      expect(paged).toEqual(best);
      for (const [offset, count, has_more] of [
        [3, 1, true],
        [4, 1, false],
        [10_000, 0, false],
      ]) {
        const page = await search("apple", `&limit=1&offset=${offset}`);
        expect(page).toMatchObject({ count, total: 5, has_more });
      }
    });
  });

  describe("words", () => {
    it("are found in title, description, domain and role in any order, the last one as a prefix", async () => {
      await publish({ title: "Nobody" });
      await publish({ title: "A", description: "Loves orchards", domain: "fruit", role: "games" });
      for (const q of ["a", "orchards", "fruit", "games", "orch", "games fruit orch", "A lov"]) {
        expect([q, await titles(q)]).toEqual([q, ["A"]]);
      }
      expect(await titles("orch loves")).toEqual([]);
      expect(await titles("orchards missing")).toEqual([]);
    });

    it("complete an unfinished last word from the current texts", async () => {
      await publishTitles("Neutral");
      const id = await publish({ title: "Before" });
      for (const change of [{ title: "Never" }, { description: "nearly" }, { domain: "nettle" }]) {
        await ada.put(`/api/soul/${id}`, {
          title: "Before",
          description: "",
          domain: "",
          ...change,
        });
        expect((await titles("ne")).toSorted()).toEqual(
          ["Neutral", change.title ?? "Before"].toSorted(),
        );
        expect(await titles(`before ${Object.values(change)[0]?.slice(0, 4)}`)).toEqual(
          change.title ? [] : ["Before"],
        );
      }
      expect(await titles("neutral neutral")).toEqual(["Neutral"]);
      expect(await titles("neut neut")).toEqual([]);
    });

    it("must all occur, in any order and with any signs between them", async () => {
      const ten = "zero one two three four five six seven eight nine";
      await publish({ title: "All", description: ten });
      await publish({ title: "Fewer", description: "one two three four" });
      await publish({ title: "Two One Three" });
      for (const q of [
        "one two three",
        "three one two",
        "two, “one” — & thr",
        "one 👻 three two",
        "½ one two thr",
        "² three two one",
        "½ two three one.",
      ]) {
        const found = await titles(q);
        expect([q, found[0], found.toSorted()]).toEqual([
          q,
          "Two One Three",
          ["All", "Fewer", "Two One Three"],
        ]);
      }
      for (const q of [ten, `${ten} nine`, "nine one two", "four three zero tw", "two one zero."]) {
        expect([q, await titles(q)]).toEqual([q, ["All"]]);
      }
      for (const q of [`${ten} ten`, "one two ten", "ten one two", "one two thr."]) {
        expect([q, await titles(q)]).toEqual([q, []]);
      }
    });

    it("complete a prefix of many words", async () => {
      const many = Array.from("abcdefghijklmnopqrst", (letter) => `Word${letter}`);
      await publishTitles(...many);
      expect((await search("word", "&limit=100")).total).toBe(many.length);
      expect(await titles("wordc")).toEqual(["Wordc"]);
    });

    it("match inside a word of a title from three letters on", async () => {
      await publishTitles("Pineapple");
      expect(await titles("neapp")).toEqual(["Pineapple"]);
      expect(await titles("nea")).toEqual(["Pineapple"]);
      expect(await titles("ne")).toEqual([]);
    });

    it.each([
      ["read/write", ["read", "write", "write read", "read/write", "read-write"]],
      ["a.b", ["a", "b", "b a", "a b", "a.b"]],
      ["me@example.com", ["me", "example", "com", "me@example.com"]],
      ["snake_case", ["snake", "case", "snake_case"]],
      ["state-of-the-art", ["state", "art", "the art", "state of"]],
      ["http://hub.example/path?x=1&y", ["hub", "example", "path", "x", "1", "y"]],
      ["«quotes» — “more”…", ["quotes", "more"]],
      ["rock'n'roll", ["rock", "roll", "n", "rock'n'roll"]],
      ["<b>bold</b>&amp;", ["bold", "amp"]],
      ["3.14/-7,5e3", ["14", "7", "5e3"]],
    ])("joined by punctuation are found separately: %s", async (joined, queries) => {
      await publish({ title: "Joined", description: joined });
      await publishTitles("Zoo");
      for (const q of queries) expect([q, await titles(q)]).toEqual([q, ["Joined"]]);
      await publish({ title: `In the title: ${joined}` });
      for (const q of queries) expect([q, (await titles(q)).length]).toEqual([q, 2]);
    });
  });

  describe("signs", () => {
    const odd = "100% a_b 'quoted\" & (x|y) !z <-> :* \\";

    it.each(["%", "_b", "'quoted\"", "& (x|y) !z", "<->", ":*", "100% a_b", "\\", "!", "(", odd])(
      "are plain text and no operators: %j",
      async (q) => {
        await publishTitles(odd, "Apple");
        expect(await titles(q)).toEqual([odd]);
      },
    );

    it.each([
      "%%",
      "_%",
      "'; drop table souls; --",
      "zzz",
      "👻",
      "!apple",
      "app%",
      "a_ple",
      "\\\\",
    ])("match nothing where no soul has them: %j", async (q) => {
      await publishTitles("1", "Zebra");
      expect(await search(q)).toMatchObject({ count: 0, total: 0, data: [] });
    });

    it("finish the word before them: c++ does not match cook", async () => {
      await publish({ title: "Cook", description: "Cheese, and how to cut it" });
      await publish({ title: "C Coach", description: "Only C" });
      await publish({ title: "Old Hand", description: "Expert in C++ and C#, knows .NET" });
      await publish({ title: "Beginner", domain: "c++" });
      await like("C Coach", 99);
      await like("Old Hand", 9);
      expect(await titles("c++")).toEqual(["Beginner", "Old Hand", "C Coach"]);
      expect((await titles("C#"))[0]).toBe("Old Hand");
      expect((await titles("c++", "&sort=popular")).toSorted()).toEqual([
        "Beginner",
        "C Coach",
        "Old Hand",
      ]);
      await publish({ title: "Net Worth", description: "networks" });
      expect(await titles(".net")).toEqual(["Old Hand", "Net Worth"]);
      expect(await titles(".ne")).toEqual(["Old Hand", "Net Worth"]);
      expect(await titles("coach,")).toEqual(["C Coach"]);
      expect(await titles("coac,")).toEqual([]);
    });

    it("are found verbatim in titles", async () => {
      await publishTitles("The C++ Coach", "Chess & Cheese", "Cook", "👻 Ghost");
      await like("Cook", 99);
      expect(await titles("c++")).toEqual(["The C++ Coach"]);
      expect(await titles("++")).toEqual(["The C++ Coach"]);
      expect(await titles("&")).toEqual(["Chess & Cheese"]);
      expect(await titles("👻")).toEqual(["👻 Ghost"]);
    });

    it("between words are found verbatim in titles before separate words", async () => {
      await publishTitles("Inpatient/Coaching", "Coaching / Patient", "C++/C# Guide", "C and C");
      await like("Coaching / Patient", 99);
      expect(await titles("patient/coach")).toEqual(["Inpatient/Coaching", "Coaching / Patient"]);
      expect(await titles("patient/coaching g")).toEqual([]);
      expect(await titles("c++/c#")).toEqual(["C++/C# Guide", "C and C"]);
      expect((await titles("++/c"))[0]).toBe("C++/C# Guide");
      expect(await titles("c# gui")).toEqual(["C++/C# Guide"]);
    });

    it("are absent in a blank text, which lists all souls", async () => {
      await publishTitles("Old", "New");
      expect(await titles("  ")).toEqual(["New", "Old"]);
    });
  });

  describe("case and composition", () => {
    it.each([
      ["École Été", ["école été", "ÉCOLE", "été"]],
      ["ΟΔΥΣΣΕΥΣ", ["οδυσσευς", "ΟΔΥΣΣΕΥΣ", "Οδυσσεύς".normalize("NFD").replace(/\u0301/g, "")]],
      ["Οδυσσευς", ["ΟΔΥΣΣΕΥΣ", "οδυσσευσ"]],
      ["İstanbul", ["istanbul", "İSTANBUL", "İstanbul".toLowerCase()]],
      ["Ærø Øre", ["ÆRØ", "øre"]],
      ["Жар-птица", ["жар", "ПТИЦА", "ЖАР-ПТИЦА"]],
      ["Cafe\u0301", ["café", "CAFÉ", "cafe\u0301"]],
    ])("are ignored in %s", async (written, queries) => {
      await publish({ title: "Domain", domain: written });
      await publish({ title: "Text", description: `x ${written} y` });
      await publish({ title: written });
      for (const q of queries) {
        const found = await titles(q);
        expect([q, found[0], found.toSorted()]).toEqual([
          q,
          written,
          ["Domain", "Text", written].toSorted(),
        ]);
      }
    });

    it("do not matter for ideographs, which are found inside a title without spaces", async () => {
      await publishTitles("高等数学老师", "文学老师");
      expect(await titles("数学")).toEqual(["高等数学老师"]);
      expect(await titles("学")).toEqual(["文学老师", "高等数学老师"]);
      expect(await titles("学数")).toEqual([]);
    });
  });

  it("filters by role, and returns nothing for an unknown role", async () => {
    await publish({ title: "Apple", role: "games" });
    await publish({ title: "Apple Pie", role: "travel" });
    await publish({ title: "Apple Cake", description: "games for software engineering" });
    await publish({ title: "Apple Tart", role: "software-engineering" });
    expect(await titles("apple", "&role=games")).toEqual(["Apple"]);
    expect(await titles("apple", "&role=travel&sort=newest")).toEqual(["Apple Pie"]);
    expect(await titles("apple", "&role=Other")).toEqual(["Apple Cake"]);
    for (const q of ["apple", "tart", "apple tart software", "engineering apple", "app"]) {
      expect([q, await titles(q, "&role=software-engineering")]).toEqual([q, ["Apple Tart"]]);
    }
    for (const role of ["no-such", "-", "software", "%25", "Games"]) {
      expect([role, await titles("apple", `&role=${role}`)]).toEqual([role, []]);
    }
  });

  it("neither returns nor counts private souls", async () => {
    const id = await publish({ title: "Secret Plan", description: "whisper", domain: "spies" });
    await publish({ title: "Secret Plan", is_public: 0 });
    await publish({ title: "The ++ Plan", description: "whisper", is_public: 0 });
    await publish({ title: "Other", description: "whisper secret", domain: "spies", is_public: 0 });
    for (const q of ["secret plan", "secret", "plan", "whisper", "spies", "ecre", "++", "s"]) {
      for (const sort of ["", "&sort=popular", "&sort=newest", "&sort=updated"]) {
        const { data, total } = await search(q, sort);
        expect([q, data.map((soul: { id: number }) => soul.id), total]).toEqual([
          q,
          q === "++" ? [] : [id],
          q === "++" ? 0 : 1,
        ]);
      }
    }
    await ada.put(`/api/soul/${id}`, { is_public: 0 });
    expect(await titles("secret")).toEqual([]);
  });

  it("finds a soul by its current texts", async () => {
    const id = await publish({ title: "Before", description: "old" });
    await ada.put(`/api/soul/${id}`, { title: "After", description: "new" });
    expect([await titles("before"), await titles("old")]).toEqual([[], []]);
    expect([await titles("after"), await titles("new")]).toEqual([["After"], ["After"]]);
  });
});
