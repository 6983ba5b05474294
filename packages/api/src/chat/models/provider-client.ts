import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogle } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { OpenAICompatibleChatLanguageModel } from "@ai-sdk/openai-compatible";
import type { wrapLanguageModel } from "ai";
import { z } from "zod";
import { httpFetch } from "./http-fetch.ts";
import type { RemoteProvider } from "./model-id.ts";
import { directText } from "./streaming/direct-text.ts";

/** A model of a provider package: the language model interface of `ai`. */
export type ProviderModel = ReturnType<typeof wrapLanguageModel>;

export interface ProviderAccess {
  apiKey?: string | undefined;
  /**
   * The provider's base URL. It is required for `openai-compatible`. Other providers default to
   * their public URL.
   */
  baseUrl?: string | undefined;
  /** Replaces {@link httpFetch}, for example with the guarded one. It must not follow redirects. */
  fetch?: typeof globalThis.fetch;
}

/**
 * Public base URLs of the providers. Without them the clients would read URLs from environment
 * variables.
 */
export const publicUrl = {
  openai: "https://api.openai.com/v1",
  anthropic: "https://api.anthropic.com/v1",
  google: "https://generativelanguage.googleapis.com/v1beta",
} as const;

/** Creates the client of a provider. The returned function creates a model by its name. */
export function createClient(
  provider: RemoteProvider,
  access: ProviderAccess,
): (model: string) => ProviderModel {
  const plainFetch = access.fetch ?? httpFetch;
  const fetch = directText(plainFetch);
  const apiKey = access.apiKey ?? "";
  switch (provider) {
    case "openai": {
      const client = createOpenAI({ apiKey, baseURL: access.baseUrl ?? publicUrl.openai, fetch });
      // Uses the chat completions API, because the client's default, the responses API, stores
      // prompts.
      return (model) => client.chat(model);
    }
    case "anthropic":
      return createAnthropic({ apiKey, baseURL: access.baseUrl ?? publicUrl.anthropic, fetch });
    case "google":
      return createGoogle({
        apiKey,
        baseURL: access.baseUrl ?? publicUrl.google,
        fetch: plainFetch,
      });
    case "openai-compatible": {
      if (!access.baseUrl) throw new TypeError("An openai-compatible provider needs its baseUrl.");
      const { baseUrl } = access;
      return (model) =>
        new OpenAICompatibleChatLanguageModel(model, {
          provider: "openai-compatible.chat",
          url: ({ path }) => baseUrl.replace(/\/$/, "") + path,
          headers: apiKey ? { authorization: `Bearer ${apiKey}` } : {},
          includeUsage: true,
          // Otherwise the schema of an app's JSON reply would be dropped.
          supportsStructuredOutputs: true,
          errorStructure,
          fetch,
        });
    }
  }
}

/** The error of a server with all its fields. The default has no `status`. */
const errorStructure = {
  errorSchema: z.object({ error: z.looseObject({ message: z.string() }) }),
  errorToMessage: ({ error }: { error: { message: string } }) => error.message,
};
