import { freePort } from "@soul-hub/api/testing";
import { LOAD_CORE, startProcess } from "../processes/start-process.ts";
import type { Stage } from "../runner/stage.ts";

export interface Provider {
  port: number;
  /** The words of its paced replies. */
  pacedWords: number;
  /** The settings of a hub that uses the provider. */
  settings: Record<string, string>;
}

const MODEL = "openai-compatible:words";

/** Starts the model provider of this stage. */
export const providerOf = (stage: Stage): Promise<Provider> =>
  stage.share("provider", async () => {
    const port = await freePort();
    const pacedWords = stage.size(500, 25);
    const args = [String(port), String(pacedWords)];
    startProcess(stage, new URL("./provider-process.ts", import.meta.url), {
      core: LOAD_CORE,
      args,
    });
    return {
      port,
      pacedWords,
      settings: {
        TEXT_MODEL: MODEL,
        OPENAI_COMPATIBLE_BASE_URL: `http://127.0.0.1:${port}/v1`,
        // 1,000 replies at once each need a model call.
        MODEL_CALLS_AT_ONCE: "1000",
      },
    };
  });
