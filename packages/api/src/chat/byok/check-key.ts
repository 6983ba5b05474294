import { HubError } from "../../errors.ts";
import type { RemoteProvider } from "../models/model-id.ts";
import { createClient, publicAddress } from "../models/provider-client.ts";
import { readFault } from "../models/provider-fault.ts";
import type { OwnKey } from "./own-key.ts";

interface CheckPorts {
  fetch: typeof globalThis.fetch;
  /** Where the provider is, if not at its public address. */
  baseUrl: string | undefined;
  signal: AbortSignal;
}

const CHECK_TIMEOUT_MS = 10_000;

/** How each provider is asked for its models: costs nothing, and needs a good key. */
const listing: Record<
  RemoteProvider,
  (apiKey: string) => { path: string; headers: Record<string, string> }
> = {
  openai: (apiKey) => ({ path: "/models", headers: { authorization: `Bearer ${apiKey}` } }),
  anthropic: (apiKey) => ({
    path: "/models?limit=1",
    headers: { "x-api-key": apiKey, "anthropic-version": "2023-06-01" },
  }),
  google: (apiKey) => ({ path: "/models?pageSize=1", headers: { "x-goog-api-key": apiKey } }),
  "openai-compatible": (apiKey) => ({
    path: "/models",
    headers: { authorization: `Bearer ${apiKey}` },
  }),
};

/**
 * Asks the provider for its models with the key. Where it has no such list, or this key may not
 * read it, a reply of one token tells (decisions §5: one cheap call).
 * @throws HubError `byok_key_rejected` when the key is refused, `provider_failed` when nobody can
 *   say; the signal's reason when it aborted
 */
export async function checkKey(key: OwnKey, { fetch, baseUrl, signal }: CheckPorts): Promise<void> {
  const ending = AbortSignal.any([signal, AbortSignal.timeout(CHECK_TIMEOUT_MS)]);
  const { path, headers } = listing[key.provider](key.apiKey);
  const address =
    baseUrl ?? (key.provider === "openai-compatible" ? "" : publicAddress[key.provider]);
  try {
    const status = await askForModels(fetch, `${address}${path}`, { headers, signal: ending });
    if (status === 200) return;
    if (status === 401) throw rejected();
    const mayBeUnlisted = status === 403 || status === 404 || status === 405;
    if (mayBeUnlisted && key.textModel) {
      const client = createClient(key.provider, { apiKey: key.apiKey, baseUrl, fetch });
      return await askForOneToken(client(key.textModel), ending);
    }
    throw status === 403 ? rejected() : unreachable();
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof HubError ? error : unreachable(error);
  }
}

/** 200 only for an answer in JSON: a login page or a proxy's greeting is no list of models. */
async function askForModels(
  fetch: typeof globalThis.fetch,
  url: string,
  init: RequestInit,
): Promise<number> {
  const response = await fetch(url, init);
  if (response.status === 200) JSON.parse(await response.text());
  else await response.body?.cancel();
  return response.status;
}

async function askForOneToken(
  model: ReturnType<ReturnType<typeof createClient>>,
  abortSignal: AbortSignal,
): Promise<void> {
  try {
    await model.doGenerate({
      prompt: [{ role: "user", content: [{ type: "text", text: "Hi" }] }],
      maxOutputTokens: 1,
      abortSignal,
    });
  } catch (error) {
    const { status } = readFault(error);
    if (status === 401 || status === 403) throw rejected();
    // Without credit, or not content with so short a reply: whoever is told so was let in.
    if (status !== 400 && status !== 402 && status !== 422) throw error;
  }
}

const rejected = (): HubError =>
  new HubError("byok_key_rejected", {
    status: 400,
    message: "The provider rejects this key. Nothing was saved.",
  });

/** Without the cause: the errors of clients hold the key's header. */
const unreachable = (error?: unknown): HubError =>
  new HubError("provider_failed", {
    message: "The provider can't be asked whether it takes this key. Nothing was saved.",
    cause: error === undefined ? undefined : new Error(readFault(error).name),
  });
