import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { startPinned } from "../../rest/pinned-process.ts";
import type { CrowdOrder, CrowdResult, TalkOrder, TalkResult } from "./talk-protocol.ts";

export interface Talkers {
  talk(order: TalkOrder): Promise<TalkResult>;
  gather(order: CrowdOrder): Promise<CrowdResult>;
}

export function startTalkers(core: 0 | 1): Talkers {
  const script = fileURLToPath(new URL("./talkers.ts", import.meta.url));
  const child = startPinned(core, script, [], { ipc: true });
  const ended = once(child, "exit").then(() => Promise.reject(new Error("The talk broke off.")));
  // At the end of the bench it does end, and nobody waits for it.
  ended.catch(() => undefined);
  const obey = async (order: TalkOrder | CrowdOrder) => {
    child.send(order);
    const [result] = await Promise.race([once(child, "message"), ended]);
    return result;
  };
  return { talk: obey, gather: obey };
}
