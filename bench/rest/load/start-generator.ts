import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { startPinned } from "../pinned-process.ts";
import type { LoadOrder, LoadResult } from "./load-protocol.ts";

export interface Generator {
  load(order: LoadOrder): Promise<LoadResult>;
}

export function startGenerator(core: 0 | 1): Generator {
  const script = fileURLToPath(new URL("./load-generator.ts", import.meta.url));
  const child = startPinned(core, script, [], { ipc: true });
  const ended = once(child, "exit").then(() => Promise.reject(new Error("The load broke off.")));
  // At the end of the bench it does end, and nobody waits for it.
  ended.catch(() => undefined);
  return {
    load: async (order) => {
      child.send(order);
      const [result] = await Promise.race([once(child, "message"), ended]);
      return result as LoadResult;
    },
  };
}
