import { startWorker } from "../../worker-process.ts";
import type { BurstOrder, BurstResult, RoomsOrder, RoomsResult } from "./load-protocol.ts";

/** The load generator of this benchmark. Orders run one at a time. */
export interface ChatClients {
  rooms(order: RoomsOrder): Promise<RoomsResult>;
  burst(order: BurstOrder): Promise<BurstResult>;
}

export function startChatClients(core: 0 | 1): ChatClients {
  const { ask } = startWorker<RoomsOrder | BurstOrder, RoomsResult | BurstResult>(
    core,
    new URL("./chat-clients.ts", import.meta.url),
  );
  return {
    rooms: (order) => ask(order) as Promise<RoomsResult>,
    burst: (order) => ask(order) as Promise<BurstResult>,
  };
}
