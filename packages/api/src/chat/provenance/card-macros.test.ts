import { beforeAll, expect, it } from "vitest";
import { cardText, importFile } from "../../souls/exchange/exchange.fixture.ts";
import type { Actor } from "../../testing/actor.ts";
import { say } from "../../testing/chat-hub.ts";
import { describeChat } from "../../testing/describe-chat.ts";

/** Decisions §5, Memory: the macros of a character card. */
describeChat("the macros of an imported card", {}, (hub) => {
  let vera: Actor;
  beforeAll(async () => {
    vera = await hub.vip("vera");
  });
  const promptOf = async (soul_id: number, fields: object = {}) => {
    await say(vera, { soul_id, session_token: "lobby" }, "Hello.", fields);
    return hub.provider.requests.at(-1)?.system ?? "";
  };
  const imported = async (fields: object) => (await importFile(vera, cardText(fields))).body.id;

  it("are replaced with the title and the asker, once", async () => {
    const id = await imported({
      description: "{{char}}, <BOT>, {{USER}}, <User>, {{original}}.",
      name: "{{user}}",
    });
    expect(await promptOf(id)).toContain(
      "{{user}}, {{user}}, the person you answer, the person you answer, .",
    );
  });

  it("prefer the nickname, also in a former version that a reply asks for", async () => {
    const id = await imported({ nickname: "Ori" });
    await vera.put(`/api/soul/${id}`, { title: "Other", content: "{{char}} is new." });
    expect(await promptOf(id)).toContain("Ori is new.");
    expect(await promptOf(id, { version: 1 })).toContain(
      "Ori keeps the light for the person you answer.",
    );
  });

  it("stay in a soul that came from no card", async () => {
    const { body } = await vera.post("/api/souls", {
      title: "Bars",
      content: "Write {{user}} and <BOT>.",
    });
    expect(await promptOf(body.id)).toContain("Write {{user}} and <BOT>.");
  });
});
