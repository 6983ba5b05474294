import type { RemoteProvider } from "../models/model-id.ts";

/** Somebody's own way to a provider. */
export interface OwnKey {
  provider: RemoteProvider;
  apiKey: string;
  baseUrl: string | null;
  textModel: string | null;
  visionModel: string | null;
}
