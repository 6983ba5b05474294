import { z } from "zod";
import { MODEL_NAME } from "../chat.schema.ts";
import type { ModelsConfig } from "./models-config.ts";

const OLLAMA_URL = "http://127.0.0.1:11434";
/** The start of the hub waits at most this long (decisions §8). */
const ANSWER_MS = 300;
/** Models that compute embeddings cannot reply. Their families are variants of BERT. */
const EMBEDDING = /embed|bert|minilm|bge/i;

/** The answer of Ollama's `GET /api/tags`. A newer Ollama may list models in another form, too. */
const tags = z.object({ models: z.array(z.unknown()) });
const installedModel = z.object({
  name: z.string(),
  /** The server of a cloud model, which does not run on this machine. */
  remote_host: z.string().nullish(),
  details: z.object({ family: z.string().nullish() }).nullish(),
});

/**
 * Completes a configuration without any text model: if Ollama answers, its first chat model is the
 * text model (decisions §8). Any other configuration is returned as it is.
 * @param url the address of Ollama
 * @returns `ollama` is the address if its model is used, else null
 */
export async function withOllama(
  config: ModelsConfig,
  url = OLLAMA_URL,
): Promise<{ config: ModelsConfig; ollama: string | null }> {
  // All models of the protocol have one address. A configured one belongs to another route.
  const isOpen = config.text === null && config.openaiCompatible.baseUrl === undefined;
  const model = isOpen ? await firstChatModel(url) : undefined;
  if (model === undefined) return { config, ollama: null };
  return {
    config: {
      ...config,
      text: `openai-compatible:${model}`,
      openaiCompatible: { ...config.openaiCompatible, baseUrl: `${url}/v1` },
    },
    ollama: url,
  };
}

async function firstChatModel(url: string): Promise<string | undefined> {
  try {
    const signal = AbortSignal.timeout(ANSWER_MS);
    const response = await fetch(`${url}/api/tags`, { signal, redirect: "error" });
    if (!response.ok) return undefined;
    const { models } = tags.parse(await response.json());
    return models.flatMap((model) => installedModel.safeParse(model).data ?? []).find(isLocalChat)
      ?.name;
  } catch {
    // Ollama is not there, or another program uses its port.
    return undefined;
  }
}

function isLocalChat({ name, remote_host, details }: z.infer<typeof installedModel>): boolean {
  return (
    !remote_host && MODEL_NAME.test(name) && !EMBEDDING.test(`${name} ${details?.family ?? ""}`)
  );
}
