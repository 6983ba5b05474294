import { expect, it } from "vitest";
import { openRoom } from "../testing/chat-hub.ts";
import { eventually } from "../testing/eventually.ts";
import { startTestHub } from "../testing/test-hub.ts";
import { startVisitorProcess } from "../testing/visitor-process.ts";

it("a frozen client does not delay the stop of the hub", async () => {
  const hub = await startTestHub();
  const ada = await hub.vip("ada");
  await using frozen = await startVisitorProcess(hub, ada, await openRoom(ada));
  frozen.kill("SIGSTOP");
  await hub.close();
  const { openSockets } = hub.hub.metrics;
  await eventually(async () => expect((await openSockets.get()).values[0]?.value).toBe(0));
});
