import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { startChatHub, type TestHub } from "@soul-hub/api/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Machine, machineOf } from "./soul-hub.fixture.ts";

describe("a command whose output can't be written", () => {
  let hub: TestHub;
  let machine: Machine;
  beforeAll(async () => {
    hub = await startChatHub();
    const ada = await hub.vip("ada");
    await ada.post("/api/souls", { title: "Keeper", content: "Light." });
    machine = await machineOf(hub, ada);
    await writeFile(path.join(machine.folder, "soul.md"), "# Orla");
  });
  afterAll(async () => {
    await machine[Symbol.asyncDispose]();
    await hub.close();
  });

  it.runIf(existsSync("/dev/full")).each([
    [["--help"], ""],
    [["completion", "bash"], ""],
    [["whoami"], ""],
    [["show", "1"], ""],
    [["show", "1", "--json"], ""],
    [["search", "--json"], ""],
    [["versions", "1"], ""],
    [["publish", "soul.md"], ""],
    [["export", "1"], ""],
    [["chat", "1"], "Is it dark?"],
    [["mcp"], '{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n'],
  ])("fails and says so: %j", async (args, input) => {
    const { code, stderr } = await machine.run(args, { input, to: "> /dev/full" });
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(
        /^(?:To return .+\n)?The output can't be written to stdout: ENOSPC: .+\.\n$/,
      ),
    ]);
  });

  it("ends silently when its reader has enough", async () => {
    const { code, stderr } = await machine.run(["show", "1"], { to: "| true" });
    expect([code, stderr]).toEqual([0, ""]);
  });
});
