import { beforeAll, beforeEach, expect, it } from "vitest";
import type { Actor } from "../../testing/actor.ts";
import { failureOf, remaining, say } from "../../testing/chat-hub.ts";
import { describeChat } from "../../testing/describe-chat.ts";
import { eventually } from "../../testing/eventually.ts";
import { joinAs } from "../../testing/live-visitor.ts";
import { openSharedRoom, type SharedRoom, soulOf } from "./several-souls.fixture.ts";

const provider = { reply: () => "I speak." };

/** 0041: which of a room's souls a message calls. */
describeChat("the souls that a message calls", { provider }, (hub) => {
  let vera: Actor;
  let author: Actor;
  let shared: SharedRoom;
  let seen = 0;

  beforeAll(async () => {
    vera = await hub.vip("vera");
    author = await hub.vip("author");
  });
  beforeEach(async () => {
    shared = await openSharedRoom(vera, author);
    seen = hub.provider.requests.length;
  });
  const ask = (content: string, more: object = {}) => say(vera, shared.room, content, more);
  const titles = () => hub.provider.requests.slice(seen).map(soulOf);

  it("are those that `to` names, whatever the message mentions", async () => {
    const { ben, orla, cara } = shared;
    const { body } = await ask("What says @cara?", { to: [ben, orla, ben] });
    expect(titles()).toEqual(["Ben", "Orla"]);
    expect(body.replies.map(({ soul_id }: { soul_id: number }) => soul_id)).toEqual([ben, orla]);
    expect((await ask("You?", { to: [cara] })).body.replies).toBeUndefined();
    expect(failureOf(await ask("You?", { to: [2 ** 40] }))).toEqual([404, "soul_not_found"]);
    expect(failureOf(await ask("You?", { to: [] }))).toEqual([400, "invalid_input"]);
  });

  it("are the room's own one where nobody is addressed", async () => {
    const { body } = await ask("mail ben@cara.example, @nobody");
    expect(titles()).toEqual(["Orla"]);
    expect(body.replies).toBeUndefined();
  });

  it("are called by their handles in any script, or in ASCII, and by the stored ones", async () => {
    const { orla, ben, cara, set } = shared;
    await author.put(`/api/soul/${ben}`, { title: "面包师" });
    await author.put(`/api/soul/${cara}`, { title: "Zoë" });
    // The handles are stored. They stay until the room's souls are set again.
    await ask("你好@面包师你好 @面包师, @zoe, @ben");
    await ask("@ben?");
    expect(titles()).toEqual(["面包师", "Zoë", "面包师"]);
    await set({ souls: [orla, ben, cara].map((soul_id) => ({ soul_id })) });
    await using watcher = joinAs(hub, vera, shared.room);
    await eventually(() =>
      expect(watcher.of("sync")[0]?.room?.souls.map(({ handle }) => handle)).toEqual([
        "orla",
        "面包师",
        "zoë",
      ]),
    );
    await ask("你好@zoe你好，@面包师!");
    await ask("@ben?");
    expect(titles().slice(3)).toEqual(["Zoë", "面包师", "Orla"]);
  });

  it("are not called by addresses, quotes and code, which cost nothing", async () => {
    await shared.set({ answers: "addressed" });
    const left = await remaining(vera);
    const text = "http://x/@ben ada@ben.example `@ben`\n> @ben\n```\n@ben\n```";
    expect((await ask(text)).body).toMatchObject({ answered: false });
    expect(titles()).toEqual([]);
    expect(await remaining(vera)).toBe(left);
  });

  it("wake no other soul by a mention in a reply", async () => {
    const { room, set } = shared;
    await set({ answers: "addressed" });
    await ask("@ben, greet everybody");
    await author.put(`/api/soul/${shared.ben}`, { title: "@cara @orla" });
    await say(vera, room, "@ben, again");
    expect(titles()).toEqual(["Ben", "@cara @orla"]);
  });
});
