import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openRoom } from "../../testing/chat-hub.ts";
import { startTestHub, type TestHub } from "../../testing/test-hub.ts";

const run = promisify(execFile);
const binary = (name: string) => path.join(import.meta.dirname, "../../../node_modules/.bin", name);
const baseline = path.join(import.meta.dirname, "conformance-baseline.yaml");

/** Programs that other people wrote to test servers of the Model Context Protocol. */
describe("/mcp", () => {
  let hub: TestHub;
  let soulId: number;
  /** The inspector keeps files in the home folder. */
  let home: string;
  beforeAll(async () => {
    home = await mkdtemp(path.join(tmpdir(), "soul-hub-inspector-"));
    hub = await startTestHub();
    const { soul_id } = await openRoom(await hub.member("ada"), { title: "Keeper of the Light" });
    soulId = soul_id;
  });
  afterAll(async () => {
    await hub.close();
    await rm(home, { recursive: true });
  });

  describe("shows the inspector", () => {
    const ask = async (...args: string[]) => {
      const { stdout } = await run(
        binary("mcp-inspector"),
        ["--cli", `${hub.url}/mcp`, "--transport", "http", ...args],
        { env: { ...process.env, HOME: home } },
      );
      return JSON.parse(stdout);
    };

    it("its tools, whose schemas every client can read", async () => {
      const { tools } = await ask("--method", "tools/list", "--strict");
      expect(tools.map(({ name }: { name: string }) => name)).toContain("read_soul");
    });

    it("its prompts and resources", async () => {
      const { prompts } = await ask("--method", "prompts/list");
      expect(prompts[0].name).toBe(`keeper-of-the-light-${soulId}`);
      const { resources } = await ask("--method", "resources/list");
      expect(resources[0].uri).toBe(`soul-hub://soul/${soulId}`);
    });

    it("what a tool answers", async () => {
      const { structuredContent } = await ask(
        ...["--method", "tools/call", "--tool-name", "read_soul"],
        ...["--tool-arg", `soul_id=${soulId}`],
      );
      expect(structuredContent).toMatchObject({ id: soulId, title: "Keeper of the Light" });
    });
  });

  describe("passes the conformance suite", () => {
    it.each([
      "server-initialize",
      "ping",
      "tools-list",
      "prompts-list",
      "resources-list",
      "completion-complete",
      "dns-rebinding-protection",
    ])("%s", async (scenario) => {
      const { stdout } = await run(binary("conformance"), [
        ...["server", "--url", `${hub.url}/mcp`, "--scenario", scenario],
      ]);
      expect(stdout).toMatch(/Passed: (\d+)\/\1, 0 failed/);
    });

    it("but for what needs tools of a test server, or asks the client", async () => {
      const { stdout } = await run(binary("conformance"), [
        ...["server", "--url", `${hub.url}/mcp`, "--expected-failures", baseline],
      ]);
      expect(stdout).toContain("Total:");
    });
  });
});
