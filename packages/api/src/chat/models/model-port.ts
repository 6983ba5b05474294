declare module "../../context.ts" {
  interface Hub {
    /**
     * The configured models. Code calls them through `callModel` (chat/usage/model-usage.ts), which
     * records the usage.
     */
    models: ModelPort;
  }
}

/**
 * The purpose of a model call, which selects the model (decisions §5, Routing). `summary` merges
 * older messages into the room's summary.
 */
export type ModelRoute = "text" | "vision" | "premium" | "summary";

export interface PromptImage {
  mediaType: string;
  data: Uint8Array;
}

export interface PromptMessage {
  role: "user" | "assistant";
  content: string;
  image?: PromptImage | undefined;
}

export interface ModelRequest {
  route: ModelRoute;
  /** The system part: the platform's preamble and the delimited soul (decisions §5, Memory). */
  instructions: string;
  messages: PromptMessage[];
  /** Requests high reasoning effort. Reasoning text is never returned. */
  deepThink: boolean;
  /** Cancels the call; the stream then throws the signal's reason. */
  signal: AbortSignal;
}

export interface ModelUsage {
  provider: string;
  model: string;
  inputTokens: number | null;
  outputTokens: number | null;
}

/** The models that the chat engine calls. */
export interface ModelPort {
  /**
   * The model id (`provider:model`, or `offline`) of each route, as `/healthz` shows it. `text` is
   * never null; any other route that is null uses the text model.
   */
  readonly routes: Readonly<Record<ModelRoute, string | null>>;
  /** Longest time limit of all routes, deep think included, in milliseconds. */
  readonly longestCallMs: number;
  /**
   * Streams the reply as pieces of text without NUL, at least one of them not blank.
   * @throws HubError `provider_failed` (with `retryAfter` if the circuit breaker is open or the
   *   provider sent `Retry-After`), `provider_timeout`, `no_model` (a summary from `offline`); the
   *   signal's reason if it aborts
   */
  stream(request: ModelRequest): AsyncGenerator<string, ModelUsage>;
}
