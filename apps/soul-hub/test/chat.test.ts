import { type Actor, type ChatHub, eventually, startChatHub } from "@soul-hub/api/testing";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import {
  CTRL_C,
  CTRL_D,
  ENTER,
  hasTerminals,
  type Machine,
  machineOf,
  type Terminal,
} from "./soul-hub.fixture.ts";

/** Live rooms in the terminal (0055). */
describe("chat in the terminal", () => {
  let hub: ChatHub;
  let ada: Actor;
  let adas: Machine;
  let bens: Machine;
  let id: number;
  let count = 0;
  let room: string;
  const opened: Terminal[] = [];
  beforeAll(async () => {
    hub = await startChatHub();
    ada = await hub.vip("ada");
    adas = await machineOf(hub, ada);
    bens = await machineOf(hub, await hub.vip("ben"));
    id = (await ada.post("/api/souls", { title: "Keeper", content: "I keep." })).body.id;
  });
  afterEach(async () => {
    for (const terminal of opened.splice(0)) await terminal.close();
  });
  afterAll(async () => {
    await adas[Symbol.asyncDispose]();
    await bens[Symbol.asyncDispose]();
    await hub.close();
  });

  const nextRoom = () => {
    room = `harbour-${++count}`;
    return room;
  };
  const messages = async () =>
    (await ada.get(`/api/chat?soul_id=${id}&session_token=${room}`)).body.messages;
  const open = async (machine: Machine, ...more: string[]) => {
    const terminal = await machine.open(["chat", String(id), "--room", room, ...more]);
    opened.push(terminal);
    return terminal;
  };

  describe.runIf(hasTerminals)("at two terminals in one room", () => {
    it("shows who is there, who types, and each word as it is written", async () => {
      nextRoom();
      const first = await open(adas);
      await first.sees("> ");
      const second = await open(bens);
      await first.sees("ben is here.");
      second.type("Is it");
      await first.sees("ben: … > ");
      const release = hub.provider.holdNext();
      second.type(` dark?${ENTER}`);
      for (const terminal of [first, second]) await terminal.sees("Keeper: ");
      await first.sees("My ");
      await second.sees("My ");
      expect(first.text()).toContain("ben: ");
      // Text typed during the reply appears in the prompt after it.
      first.type("Not yet");
      release();
      for (const terminal of [first, second])
        await terminal.sees(/You said “(?:\[\w+\] )?Is it dark\?”\./);
      await first.sees("> Not yet");
      first.type(`.${ENTER}`);
      for (const terminal of [first, second]) await terminal.sees("You said “[ada] Not yet.”.");
      expect(await messages()).toMatchObject([
        { sender_name: "ben", content: "Is it dark?" },
        { sender_name: "Keeper" },
        { sender_name: "ada", content: "Not yet." },
        { sender_name: "Keeper" },
      ]);
      second.type(CTRL_D);
      expect(await second.exited).toBe(0);
      await first.sees("ben has left.");
    });

    it("cancels the reply on Ctrl-C, and leaves on the next one", async () => {
      nextRoom();
      const terminal = await open(adas);
      await terminal.sees("> ");
      hub.provider.holdNext();
      terminal.type(`Is it dark?${ENTER}`);
      await terminal.sees("My ");
      terminal.type(CTRL_C);
      await terminal.sees("The reply ended early (cancelled).");
      terminal.type(`And now?${ENTER}`);
      await terminal.sees("You said “[ada] And now?”.");
      terminal.type(CTRL_C);
      await terminal.sees("Ctrl-C again leaves.");
      terminal.type(CTRL_C);
      expect(await terminal.exited).toBe(130);
    });

    it("sends a line after the reply to the one before, or not at all", async () => {
      nextRoom();
      const terminal = await open(adas);
      await terminal.sees("> ");
      const release = hub.provider.holdNext();
      const asked = hub.provider.requests.length;
      terminal.type(`First?${ENTER}`);
      await terminal.sees("My ");
      for (const line of ["Second?", "Never?"]) {
        // A second Enter sends nothing early.
        terminal.type(`${line}${ENTER}${ENTER}`);
        await terminal.sees("This line waits for the reply.");
      }
      terminal.type(CTRL_C);
      await terminal.sees("Taken back.");
      // The text is in the prompt again, where it can be changed.
      terminal.type(`${"\b".repeat("Never?".length)}Third?${ENTER}`);
      await terminal.sees("This line waits for the reply.");
      expect(hub.provider.requests).toHaveLength(asked + 1);
      release();
      await terminal.sees("You said “[ada] Third?”.");
      expect((await messages()).map(({ content }: { content: string }) => content)).toEqual([
        "First?",
        expect.stringContaining("First?"),
        "Second?",
        expect.stringContaining("Second?"),
        "Third?",
        expect.stringContaining("Third?"),
      ]);
      const finish = hub.provider.holdNext();
      terminal.type(`Fourth?${ENTER}`);
      await terminal.sees("My ");
      terminal.type(`Lost?${ENTER}`);
      await terminal.sees("This line waits for the reply.");
      terminal.type(CTRL_D);
      await terminal.sees("Not sent: Lost?");
      finish();
      expect(await terminal.exited).toBe(0);
    });

    it("shows the end of the conversation to a newcomer", async () => {
      await ada.post("/api/chat", { soul_id: id, session_token: nextRoom(), content: "Hello?" });
      const terminal = await open(bens);
      await terminal.sees("ada: ");
      await terminal.sees("You said “[ada] Hello?”.");
    });

    it("prints a line of JSON for each event", async () => {
      nextRoom();
      const terminal = await open(adas, "--json");
      await terminal.sees('"type":"history"');
      terminal.type(`Is it dark?${ENTER}`);
      await terminal.sees('{"type":"asked"');
      await terminal.sees('{"type":"delta"');
      await terminal.sees(/\{"type":"message".*"role":"assistant"/);
    });

    it("tells why the hub refuses", async () => {
      const cleo = await machineOf(hub, await hub.member(`cleo${count}`));
      nextRoom();
      const terminal = await open(cleo);
      await terminal.sees("> ");
      terminal.type(`Hello?${ENTER}`);
      await terminal.sees("requires an active VIP or Pro pass");
      await ada.post("/api/chat", {
        soul_id: id,
        session_token: nextRoom(),
        content: "Hush.",
        is_private: true,
      });
      const refused = await cleo.open(["chat", String(id), "--room", room]);
      expect(await refused.exited).toBe(1);
      await cleo[Symbol.asyncDispose]();
    });
  });

  const ask = (input: string, ...more: string[]) =>
    adas.run(["chat", String(id), ...more], { input });

  it("takes a piped text as one question, and prints the reply alone", async () => {
    const { code, stdout, stderr } = await ask("Is it dark?\n", "--room", nextRoom());
    expect([code, stdout]).toEqual([0, "My soul says “I keep.”. You said “[ada] Is it dark?”.\n"]);
    expect(stderr).toBe("");
    expect(await messages()).toHaveLength(2);
    const fresh = await ask("Is it dark?\n");
    expect(fresh.stderr).toMatch(/^To return to this room: soul-hub chat \d+ --room \S{36}\n$/);
  });

  it("prints the events of a piped question as JSON", async () => {
    const { stdout } = await ask("Is it dark?", "--room", nextRoom(), "--json");
    const events = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    const types = events.map(({ type }) => type);
    expect(types).toEqual(expect.arrayContaining(["connection", "asked", "delta", "message"]));
    const deltas = events.filter(({ type }) => type === "delta").map(({ text }) => text);
    const reply = events.findLast(({ type }) => type === "message").message.content;
    expect(reply).toBe("My soul says “I keep.”. You said “[ada] Is it dark?”.");
    expect(reply.startsWith(deltas.join(""))).toBe(true);
  });

  it("reports a question that is refused or fails by its exit code", async () => {
    expect((await ask(" \n")).code).toBe(2);
    const unknown = await adas.run(["chat", "99999"], { input: "Hello?" });
    expect(unknown.code).toBe(1);
    hub.provider.failNext({ status: 400 });
    const failed = await ask("Hello?", "--json");
    expect([failed.code, failed.stderr]).toEqual([
      1,
      expect.stringContaining('"error":"provider_failed"'),
    ]);
  });

  describe("with the own provider", () => {
    beforeAll(async () => {
      const { url } = hub.provider;
      await ada.put("/api/byok", {
        provider: "openai-compatible",
        base_url: url,
        api_key: "sk-own",
        text_model: "own-model",
      });
    });

    it("stores nothing, and needs no room", async () => {
      const { code, stdout } = await ask("Is it dark?", "--own");
      expect([code, stdout]).toEqual([0, "My soul says “I keep.”. You said “Is it dark?”.\n"]);
      expect(hub.provider.requests.at(-1)).toMatchObject({ model: "own-model" });
      expect((await ask("Is it dark?", "--own", "--room", "harbour")).code).toBe(2);
    });

    it("ends with the reply, if reasoning was streamed before it was known", async () => {
      const useModel = (text_model: string) =>
        ada.put("/api/byok", { provider: "openai-compatible", text_model });
      await useModel("thinking-model");
      const chunk = (delta: object, finish_reason: string | null = null) => ({
        choices: [{ index: 0, delta, finish_reason }],
      });
      const end = chunk({}, "stop");
      hub.provider.failNext({
        events: [chunk({ content: "SECRET" }), end, chunk({ content: "</think>Hello." }), end],
      });
      const { stdout } = await ask("Is it dark?", "--own", "--json");
      const message = stdout.split("\n").find((line) => line.includes('"type":"message"'));
      expect(JSON.parse(message ?? "")).toMatchObject({ role: "assistant", content: "Hello." });
      await useModel("own-model");
    });

    it("is refused without a provider key", async () => {
      const { code, stderr } = await bens.run(["chat", String(id), "--own"], { input: "Hello?" });
      expect([code, stderr]).toEqual([1, expect.stringContaining("no active provider key")]);
    });

    it.runIf(hasTerminals)("remembers the conversation, until it is left", async () => {
      const terminal = await adas.open(["chat", String(id), "--own"]);
      opened.push(terminal);
      await terminal.sees("> ");
      terminal.type(`Is it dark?${ENTER}`);
      await terminal.sees(/You said “(?:\[\w+\] )?Is it dark\?”\./);
      hub.provider.holdNext();
      terminal.type(`And now?${ENTER}`);
      await terminal.sees("My ");
      const request = hub.provider.requests.at(-1);
      expect(request?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
      terminal.type(`Never asked?${ENTER}`);
      terminal.type(CTRL_C);
      await terminal.sees("Cancelled.");
      await eventually(async () => expect(await request?.ended).toBe("cancelled"));
      expect(hub.provider.requests.at(-1)).toBe(request);
      terminal.type(CTRL_D);
      expect(await terminal.exited).toBe(0);
    });

    it.runIf(hasTerminals)("answers what was typed during a reply after it", async () => {
      const terminal = await adas.open(["chat", String(id), "--own"]);
      opened.push(terminal);
      await terminal.sees("> ");
      const release = hub.provider.holdNext();
      terminal.type(`Is it dark?${ENTER}`);
      await terminal.sees("My ");
      terminal.type(`And now?${ENTER}`);
      release();
      await terminal.sees(/You said “(?:\[\w+\] )?And now\?”\./);
      terminal.type(CTRL_D);
      expect(await terminal.exited).toBe(0);
    });
  });
});
