import { freePort } from "@soul-hub/api/testing";
import { startProcess } from "../processes/start-process.ts";
import type { Stage } from "../runner/stage.ts";

export interface Provider {
  port: number;
  /** The settings of a hub that uses the provider. */
  settings: Record<string, string>;
}

/** Starts the model provider of this stage. */
export const providerOf = (stage: Stage): Promise<Provider> =>
  stage.share("provider", async () => {
    const port = await freePort();
    const script = new URL("./provider-process.ts", import.meta.url);
    startProcess(stage, script, { args: [String(port)] });
    const settings = {
      TEXT_MODEL: "openai-compatible:words",
      OPENAI_COMPATIBLE_BASE_URL: `http://127.0.0.1:${port}/v1`,
      // 1,000 replies at once each need a model call.
      MODEL_CALLS_AT_ONCE: "1000",
    };
    return { port, settings };
  });
