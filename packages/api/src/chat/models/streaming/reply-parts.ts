import type { ProviderModel } from "../provider-client.ts";
import { receiveText } from "./direct-text.ts";

type ProviderStream = Awaited<ReturnType<ProviderModel["doStream"]>>["stream"];
type Part = (ProviderStream extends ReadableStream<infer Streamed> ? Streamed : never) | DirectText;
type DirectText = { type: "text-delta"; delta: string };

/** The parts of a provider's reply, and the text that takes the direct way, as they arrive. */
export class ReplyParts {
  readonly #arrived: Part[] = [];
  #waiting: PromiseWithResolvers<Part | undefined> | undefined;
  #end: Promise<undefined> | undefined;
  #reader: ReadableStreamDefaultReader<Part> | undefined;

  /**
   * @param start calls the provider with the signal
   * @param isDirect true if text may take the direct way
   */
  constructor(start: () => Promise<ProviderStream>, signal: AbortSignal, isDirect: boolean) {
    if (isDirect) receiveText(signal, (delta) => this.#add({ type: "text-delta", delta }));
    this.#read(start).then(
      () => this.#finish(Promise.resolve(undefined)),
      (error: unknown) => this.#finish(Promise.reject(error)),
    );
  }

  /** Returns the next part; undefined after the last one. Rejects if the call failed. */
  next(): Promise<Part | undefined> {
    const part = this.#arrived.shift();
    if (part) return Promise.resolve(part);
    if (this.#end) return this.#end;
    this.#waiting = Promise.withResolvers();
    return this.#waiting.promise;
  }

  cancel(): void {
    this.#reader?.cancel().catch(() => {});
  }

  async #read(start: () => Promise<ProviderStream>): Promise<void> {
    this.#reader = (await start()).getReader();
    for (;;) {
      const { done, value } = await this.#reader.read();
      if (done) return;
      this.#add(value);
    }
  }

  #add(part: Part): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting) waiting.resolve(part);
    else this.#arrived.push(part);
  }

  #finish(end: Promise<undefined>): void {
    end.catch(() => {});
    this.#end = end;
    this.#waiting?.resolve(end);
  }
}
