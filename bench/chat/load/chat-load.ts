import type { Server } from "../../processes/server.ts";
import { LOAD_CORE } from "../../processes/start-process.ts";
import { startWorker } from "../../processes/worker-process.ts";
import { type ProcessUse, watched } from "../../runner/measure.ts";
import type { Stage } from "../../runner/stage.ts";
import type { BurstOrder, BurstResult, RoomsOrder, RoomsResult } from "./load-protocol.ts";

/** The chat clients. Orders run one at a time. */
export interface ChatLoad {
  /** @throws Error if a call fails or no reply arrives */
  rooms(server: Server, order: RoomsOrder): Promise<[RoomsResult, ProcessUse]>;
  burst(server: Server, order: Omit<BurstOrder, "port">): Promise<[BurstResult, ProcessUse]>;
}

export const chatLoadOf = (stage: Stage): Promise<ChatLoad> =>
  stage.share("chat load", async () => {
    const script = new URL("./chat-clients.ts", import.meta.url);
    const { ask } = startWorker<RoomsOrder | BurstOrder, RoomsResult | BurstResult>(stage, script, {
      core: LOAD_CORE,
    });
    return {
      async rooms({ process }, order) {
        const [result, use] = await watched(process, () => ask(order) as Promise<RoomsResult>);
        if (result.faults.length > 0) {
          throw new Error(`${result.faults.length} calls failed: ${result.faults[0]}`);
        }
        if (result.replies === 0) throw new Error("no reply arrived");
        return [result, use];
      },
      burst: ({ process, port }, order) =>
        watched(process, () => ask({ ...order, port }) as Promise<BurstResult>),
    };
  });
