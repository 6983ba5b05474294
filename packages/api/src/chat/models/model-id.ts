import { MODEL_NAME } from "../chat.schema.ts";

/** Every remote provider, with the environment variable that it requires and an example value. */
export const requiredVariables = {
  openai: { variable: "OPENAI_API_KEY", example: "sk-…" },
  anthropic: { variable: "ANTHROPIC_API_KEY", example: "sk-ant-…" },
  google: { variable: "GOOGLE_GENERATIVE_AI_API_KEY", example: "AIza…" },
  "openai-compatible": {
    variable: "OPENAI_COMPATIBLE_BASE_URL",
    example: "http://localhost:11434/v1",
  },
};

/** A provider that is called over the network. */
export type RemoteProvider = keyof typeof requiredVariables;
type ProviderName = RemoteProvider | "offline";

export interface ModelId {
  provider: ProviderName;
  model: string;
}

/** An invalid model configuration. The message is for the operator. */
export class ModelConfigError extends Error {
  /** The invalid environment variable. */
  readonly variable: string;

  constructor(variable: string, message: string) {
    super(`${variable}: ${message}`);
    this.name = "ModelConfigError";
    this.variable = variable;
  }
}

/**
 * Parses `provider:model`, or `offline` alone (decisions §5, Routing).
 * @param variable the environment variable that the error names
 * @throws ModelConfigError
 */
export function parseModelId(text: string, variable = "TEXT_MODEL"): ModelId {
  if (text === "offline") return { provider: "offline", model: "offline" };
  const [provider = "", ...rest] = text.split(":");
  const model = rest.join(":");
  if (isProvider(provider) && MODEL_NAME.test(model)) return { provider, model };
  const names = [...Object.keys(requiredVariables), "offline"].join(", ");
  throw new ModelConfigError(
    variable,
    `${JSON.stringify(text)} is not a model id. A model id is provider:model with one of these providers: ${names}. Example: ${variable}=openai:gpt-5-mini`,
  );
}

/** Formats a model id. The provider `offline` has one model. */
export const formatModelId = ({ provider, model }: { provider: string; model: string }): string =>
  provider === "offline" ? provider : `${provider}:${model}`;

const isProvider = (name: string): name is ProviderName =>
  name === "offline" || Object.hasOwn(requiredVariables, name);
