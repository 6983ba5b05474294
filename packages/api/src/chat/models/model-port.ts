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

/** A call of an app's tool, which a model asks for. The hub runs no tool. */
export interface ToolCall {
  id: string;
  name: string;
  /** The arguments as JSON. */
  arguments: string;
}

export type PromptMessage =
  | { role: "user"; content: string; image?: PromptImage | undefined }
  | { role: "assistant"; content: string; toolCalls?: readonly ToolCall[] | undefined }
  | { role: "tool"; content: string; callId: string; name: string };

/** A tool that an app offers to the model. */
export interface ModelTool {
  name: string;
  description?: string | undefined;
  /** A JSON schema. */
  parameters: Readonly<Record<string, unknown>>;
  strict?: boolean | undefined;
}

/** What an app chooses of a call beyond the prompt (0051). Rooms choose nothing. */
export interface ModelChoices {
  temperature?: number | undefined;
  topP?: number | undefined;
  /** The smaller one of this and the route's limit applies. */
  maxOutputTokens?: number | undefined;
  stop?: readonly string[] | undefined;
  seed?: number | undefined;
  presencePenalty?: number | undefined;
  frequencyPenalty?: number | undefined;
  /** JSON instead of free text, by a JSON schema where there is one. */
  json?:
    | { schema?: Readonly<Record<string, unknown>>; name?: string; description?: string }
    | undefined;
  tools?: readonly ModelTool[] | undefined;
  toolChoice?: "auto" | "none" | "required" | { name: string } | undefined;
}

export interface ModelRequest {
  route: ModelRoute;
  /** The system part: the platform's preamble and the delimited soul (decisions §5, Memory). */
  instructions: string;
  messages: PromptMessage[];
  /** Requests high reasoning effort. Reasoning text is never returned. */
  deepThink: boolean;
  /**
   * The choices of a calling app. Its reply is passed on also if the provider's filter or the limit
   * of tokens cut it. A room refuses a filtered or empty reply.
   */
  choices?: ModelChoices | undefined;
  /** Cancels the call; the stream then throws the signal's reason. */
  signal: AbortSignal;
}

export interface ModelUsage {
  provider: string;
  model: string;
  inputTokens: number | null;
  outputTokens: number | null;
}

/** Why a reply ended. */
export type FinishReason = "stop" | "length" | "tool_calls" | "content_filter";

/** The end of a reply. */
export interface ModelEnd extends ModelUsage {
  finish: FinishReason;
  /** The calls that the app is to run; empty without tools. */
  toolCalls: readonly ToolCall[];
  /**
   * The whole reply, if the stream differs from it. A stream may contain reasoning whose end is the
   * first sign that it was reasoning.
   */
  correction?: string;
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
   * Streams the reply as pieces of well-formed text without NUL. It is blank only for a request with
   * `choices`, if it ended before its text or calls tools.
   * @throws HubError `provider_failed` (with `retryAfter` if the circuit breaker is open or the
   *   provider sent `Retry-After`), `provider_timeout`, `no_model` (a summary from `offline`); the
   *   signal's reason if it aborts
   */
  stream(request: ModelRequest): AsyncGenerator<string, ModelEnd>;
}
