import type { ModelChoices, ModelEnd, PromptMessage } from "../models/model-port.ts";

/** A stateless call of an app, which brings the whole conversation (0051). */
export interface AppCall {
  soul_id: number;
  /** True if the app names its owner's provider key as the payer. */
  ownProvider: boolean;
  /** The app's own system texts, in order. */
  instructions: readonly string[];
  /** The conversation as the app sent it. At most one message, the last of a person, has an image. */
  messages: readonly PromptMessage[];
  deepThink: boolean;
  choices: ModelChoices;
}

export interface AppReply {
  text: string;
  end: ModelEnd;
  /** The characters of the prompt, for an estimate of its tokens. */
  promptChars: number;
}
