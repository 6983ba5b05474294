/** Runs `work` at once, and then at most once per interval. No request for a run is lost. */
export class Throttle {
  readonly #work: () => void;
  readonly #intervalMs: number;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isDue = false;

  constructor(work: () => void, intervalMs: number) {
    this.#work = work;
    this.#intervalMs = intervalMs;
  }

  request(): void {
    this.#isDue = true;
    if (this.#timer === undefined) this.#run();
  }

  /** Runs `work` now if a run is due. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#isDue) this.#run();
  }

  #run(): void {
    this.#timer = undefined;
    if (!this.#isDue) return;
    this.#isDue = false;
    this.#timer = setTimeout(() => this.#run(), this.#intervalMs);
    this.#work();
  }
}
