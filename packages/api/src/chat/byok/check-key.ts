import { HubError } from "../../errors.ts";
import type { RemoteProvider } from "../models/model-id.ts";
import { createClient, type ProviderModel, publicUrl } from "../models/provider-client.ts";
import { readFault } from "../models/provider-fault.ts";

/** A decrypted provider key of an account, with its models. */
export interface OwnKey {
  provider: RemoteProvider;
  apiKey: string;
  baseUrl: string | null;
  textModel: string | null;
  visionModel: string | null;
}

interface CheckPorts {
  fetch: typeof globalThis.fetch;
  /** Base URL that replaces the provider's public one. */
  baseUrl: string | undefined;
  signal: AbortSignal;
}

const CHECK_TIMEOUT_MS = 10_000;

const bearer = (apiKey: string) => ({ authorization: `Bearer ${apiKey}` });

/** The request that lists a provider's models. It is free and requires a valid key. */
const listModels: Record<
  RemoteProvider,
  { path: string; headers: (apiKey: string) => Record<string, string> }
> = {
  openai: { path: "/models", headers: bearer },
  "openai-compatible": { path: "/models", headers: bearer },
  anthropic: {
    path: "/models?limit=1",
    headers: (apiKey) => ({ "x-api-key": apiKey, "anthropic-version": "2023-06-01" }),
  },
  google: { path: "/models?pageSize=1", headers: (apiKey) => ({ "x-goog-api-key": apiKey }) },
};

/**
 * Checks a key by listing the provider's models. If the provider has no such list, or denies it to
 * this key, a reply of one token decides (docs/decisions/0012).
 * @throws HubError `byok_key_rejected` (400), `provider_failed` if the check is inconclusive; the
 *   signal's reason if it aborts
 */
export async function checkKey(key: OwnKey, { fetch, baseUrl, signal }: CheckPorts): Promise<void> {
  const limited = AbortSignal.any([signal, AbortSignal.timeout(CHECK_TIMEOUT_MS)]);
  const { path, headers } = listModels[key.provider];
  const base = baseUrl ?? (key.provider === "openai-compatible" ? "" : publicUrl[key.provider]);
  try {
    const init = { headers: headers(key.apiKey), signal: limited };
    const status = await requestModels(fetch, `${base}${path}`, init);
    if (status === 200) return;
    if (status === 401) throw rejected();
    const mayHaveNoList = status === 403 || status === 404 || status === 405;
    if (mayHaveNoList && key.textModel) {
      const client = await createClient(key.provider, { apiKey: key.apiKey, baseUrl, fetch });
      return await requestOneToken(client(key.textModel), limited);
    }
    throw status === 403 ? rejected() : inconclusive();
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof HubError ? error : inconclusive(error);
  }
}

/**
 * Returns the response status. Throws if a 200 response is not JSON, such as a login page or a
 * proxy's error page.
 */
async function requestModels(
  fetch: typeof globalThis.fetch,
  url: string,
  init: RequestInit,
): Promise<number> {
  const response = await fetch(url, init);
  if (response.status === 200) JSON.parse(await response.text());
  else await response.body?.cancel();
  return response.status;
}

async function requestOneToken(model: ProviderModel, abortSignal: AbortSignal): Promise<void> {
  try {
    await model.doGenerate({
      prompt: [{ role: "user", content: [{ type: "text", text: "Hi" }] }],
      maxOutputTokens: 1,
      abortSignal,
    });
  } catch (error) {
    const { status } = readFault(error);
    if (status === 401 || status === 403) throw rejected();
    // The provider accepted the key, but reports missing credit (402) or refuses a one-token reply
    // (400, 422).
    if (status !== 400 && status !== 402 && status !== 422) throw error;
  }
}

const rejected = (): HubError =>
  new HubError("byok_key_rejected", {
    status: 400,
    message: "The provider rejects this key. Nothing was saved.",
  });

/** Keeps only the name of the provider client's error, because the error contains the key. */
const inconclusive = (error?: unknown): HubError =>
  new HubError("provider_failed", {
    message: "The provider did not confirm this key. Nothing was saved.",
    cause: error === undefined ? undefined : new Error(readFault(error).name),
  });
