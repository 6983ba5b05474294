/** Where a call may go (decisions §5, routing). `summary` is the fold-in of old messages. */
export type ModelRoute = "text" | "vision" | "premium" | "summary";

export interface PromptImage {
  mediaType: string;
  data: Uint8Array;
}

export interface PromptMessage {
  role: "user" | "assistant";
  content: string;
  image?: PromptImage;
}

export interface ModelRequest {
  route: ModelRoute;
  /** The system part: platform preamble, the soul fenced, the summary. */
  instructions: string;
  messages: PromptMessage[];
  /** High reasoning effort; the reasoning itself is never returned. */
  deepThink: boolean;
  /** Cancels the provider call. The stream then throws the signal's reason. */
  signal: AbortSignal;
}

export interface ModelUsage {
  provider: string;
  model: string;
  inputTokens: number | null;
  outputTokens: number | null;
}

/** The model providers as the chat engine sees them. */
export interface ModelPort {
  /**
   * The model id (`provider:model`, or `offline`) of each route, shown by /healthz. `text` always
   * has one; null elsewhere says that the text model answers.
   */
  readonly routes: Readonly<Record<ModelRoute, string | null>>;
  /** Milliseconds after which every call is over, whatever its route. */
  readonly longestCallMs: number;
  /**
   * Streams the reply as pieces of text, at least one of them not empty.
   * @throws HubError `provider_failed` (with retryAfter while the provider's breaker is open, or
   * where the provider named a time),
   * `provider_timeout`, `no_model` (a summary from `offline`); the signal's reason when it aborted
   */
  stream(request: ModelRequest): AsyncGenerator<string, ModelUsage>;
}
