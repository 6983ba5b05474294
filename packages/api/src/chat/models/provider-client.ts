import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogle } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { extractReasoningMiddleware, wrapLanguageModel } from "ai";
import type { RemoteProvider } from "./model-id.ts";

/** A model as its provider's package makes it (the language model specification of `ai`). */
export type ProviderModel = ReturnType<typeof wrapLanguageModel>;

export interface ProviderAccess {
  apiKey?: string | undefined;
  /** Must be given for `openai-compatible`; the provider's public address otherwise. */
  baseUrl?: string | undefined;
  /** Does the requests, e.g. only to public addresses. */
  fetch?: typeof globalThis.fetch;
}

/** Given always, because the clients would else read addresses from the environment. */
export const publicAddress = {
  openai: "https://api.openai.com/v1",
  anthropic: "https://api.anthropic.com/v1",
  google: "https://generativelanguage.googleapis.com/v1beta",
} as const;

/** A provider's client: hands out its models by name. */
export function createClient(
  provider: RemoteProvider,
  access: ProviderAccess,
): (model: string) => ProviderModel {
  const fetch = followingNoRedirect(access.fetch ?? globalThis.fetch);
  const apiKey = access.apiKey ?? "";
  switch (provider) {
    case "openai": {
      const client = createOpenAI({
        apiKey,
        baseURL: access.baseUrl ?? publicAddress.openai,
        fetch,
      });
      // Chat completions, not the client's default: the responses API stores what it is sent.
      return (model) => client.chat(model);
    }
    case "anthropic":
      return createAnthropic({ apiKey, baseURL: access.baseUrl ?? publicAddress.anthropic, fetch });
    case "google":
      return createGoogle({ apiKey, baseURL: access.baseUrl ?? publicAddress.google, fetch });
    case "openai-compatible": {
      if (!access.baseUrl) throw new TypeError("An openai-compatible provider needs its baseUrl.");
      const client = createOpenAICompatible({
        name: "openai-compatible",
        baseURL: access.baseUrl,
        ...(access.apiKey ? { apiKey: access.apiKey } : {}),
        includeUsage: true,
        fetch,
      });
      return (model) => withoutThinking(client(model));
    }
  }
}

/** Many local servers leave the model's thinking in the text, between <think> tags. */
function withoutThinking(model: ProviderModel): ProviderModel {
  return wrapLanguageModel({ model, middleware: extractReasoningMiddleware({ tagName: "think" }) });
}

/**
 * A followed redirect would carry key and prompt to a place nobody chose. `manual` rather than
 * `error`: the answer then fails by its status, instead of looking like a network that may be retried.
 */
function followingNoRedirect(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return (input, init) => fetch(input, { ...init, redirect: "manual" });
}
