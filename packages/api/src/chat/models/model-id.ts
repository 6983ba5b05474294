import { MODEL_NAME } from "./model-name.schema.ts";

/** Every provider, and the environment variable without which it cannot be used. */
const requiredVariable = {
  openai: "OPENAI_API_KEY",
  anthropic: "ANTHROPIC_API_KEY",
  google: "GOOGLE_GENERATIVE_AI_API_KEY",
  "openai-compatible": "OPENAI_COMPATIBLE_BASE_URL",
  offline: null,
} as const satisfies Record<string, string | null>;

export type ProviderName = keyof typeof requiredVariable;
/** A provider that is reached over the network. */
export type RemoteProvider = Exclude<ProviderName, "offline">;

export interface ModelId {
  provider: ProviderName;
  model: string;
}

/** Something wrong in the configuration of the models; the message is for the operator. */
export class ModelConfigError extends Error {
  /** The environment variable at fault. */
  readonly variable: string;

  constructor(variable: string, message: string) {
    super(`${variable}: ${message}`);
    this.name = "ModelConfigError";
    this.variable = variable;
  }
}

/**
 * Reads `provider:model`, or `offline` alone.
 * @param variable where the text came from, for the message
 * @throws ModelConfigError
 */
export function parseModelId(text: string, variable = "TEXT_MODEL"): ModelId {
  if (text === "offline") return { provider: "offline", model: "offline" };
  const colon = text.indexOf(":");
  const provider = colon < 0 ? text : text.slice(0, colon);
  const model = colon < 0 ? "" : text.slice(colon + 1);
  if (isProvider(provider) && MODEL_NAME.test(model)) return { provider, model };
  const names = Object.keys(requiredVariable).join(", ");
  throw new ModelConfigError(
    variable,
    `${JSON.stringify(text)} is not a model id. It is written provider:model with one of ${names} as the provider. Example: ${variable}=openai:gpt-5-mini`,
  );
}

export const variableOf = (provider: RemoteProvider): string => requiredVariable[provider];

function isProvider(name: string): name is ProviderName {
  return Object.hasOwn(requiredVariable, name);
}
