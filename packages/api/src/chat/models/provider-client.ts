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

/**
 * Loads the package of a provider and creates its client (0081). The returned function creates a
 * model by its name.
 */
export async function createClient(
  provider: RemoteProvider,
  access: ProviderAccess,
): Promise<(model: string) => ProviderModel> {
  const plainFetch = access.fetch ?? httpFetch;
  const fetch = directText(plainFetch);
  const apiKey = access.apiKey ?? "";
  switch (provider) {
    case "openai": {
      const { createOpenAI } = await import("@ai-sdk/openai");
      const client = createOpenAI({ apiKey, baseURL: access.baseUrl ?? publicUrl.openai, fetch });
      // Uses the chat completions API, because the client's default, the responses API, stores
      // prompts.
      return (model) => client.chat(model);
    }
    case "anthropic": {
      const { createAnthropic } = await import("@ai-sdk/anthropic");
      return createAnthropic({ apiKey, baseURL: access.baseUrl ?? publicUrl.anthropic, fetch });
    }
    case "google": {
      const { createGoogle } = await import("@ai-sdk/google");
      return createGoogle({
        apiKey,
        baseURL: access.baseUrl ?? publicUrl.google,
        fetch: plainFetch,
      });
    }
    case "openai-compatible": {
      if (!access.baseUrl) throw new TypeError("An openai-compatible provider needs its baseUrl.");
      const { baseUrl } = access;
      const { OpenAICompatibleChatLanguageModel } = await import("@ai-sdk/openai-compatible");
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
