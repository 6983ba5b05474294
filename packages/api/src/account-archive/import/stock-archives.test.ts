import { readZip } from "@soul-hub/soul-formats";
import { rawZip, stockZips } from "@soul-hub/soul-formats/testing";
import { expect, it } from "vitest";
import { importFile } from "../../souls/exchange/exchange.fixture.ts";
import { openRoom, say } from "../../testing/chat-hub.ts";
import { describeChat } from "../../testing/describe-chat.ts";
import { downloadArchive, importArchive } from "../archive.fixture.ts";

describeChat("an archive that was unpacked and packed again", {}, (hub) => {
  it("can be imported, whichever program packed it", async () => {
    const ada = await hub.vip("ada");
    await importFile(
      ada,
      rawZip([
        { path: "SOUL.md", content: "Be kind." },
        { path: `art/${"a/".repeat(6)}日本語.png`, content: "x" },
        { path: ".DS_Store", content: "Bud1" },
      ]),
    );
    await say(ada, await openRoom(ada), "Is it dark?");
    const archive = await downloadArchive(hub, ada);
    const files = await readZip(archive, { maxEntries: 1_000, maxBytes: 2 ** 25 });
    for (const [program, pack] of Object.entries(stockZips)) {
      const bob = await hub.vip(`bob-${program.replaceAll(/\W+/g, "")}`);
      const { body } = await importArchive(bob, new Uint8Array(pack(files)));
      const { souls, rooms, skipped, warnings } = body;
      expect([program, souls?.created, rooms?.created, skipped]).toEqual([program, 2, 1, []]);
      const isOfMacos = warnings.every(({ message }: { message: string }) =>
        message.includes("of macOS"),
      );
      expect([program, warnings.length > 0, isOfMacos]).toEqual([
        program,
        program === "macOS",
        true,
      ]);
    }
  });
});
