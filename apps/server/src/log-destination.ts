import { write, writeSync } from "node:fs";

/** Lines are written in blocks: a write per line took a tenth of the time of a read request. */
const BLOCK_BYTES = 4_096;
const WRITE_AFTER_MS = 100;
/** Largest block of one write. */
const MAX_WRITE_BYTES = 65_536;
/** Lines beyond this size are dropped while the destination accepts none (0035). */
const MAX_WAITING_BYTES = 1_048_576;
/** The time that a stopping server gives a destination that accepts nothing. */
const CLOSE_MS = 500;

/**
 * Writes log lines to a file descriptor, without ever blocking or ending the server. A write that
 * fails is tried again: a full disk or pipe may have space later.
 *
 * A pipe or socket must be non-blocking, which Node makes it when `process.stdout` is first read.
 */
export class LogDestination {
  /** The number of lines that were dropped. */
  dropped = 0;
  readonly #fd: number;
  #lines: Buffer[] = [];
  #bytes = 0;
  /** The rest of a block of whole lines, of which the destination has accepted the beginning. */
  #block: Buffer = Buffer.alloc(0);
  #isWriting = false;
  #timer: NodeJS.Timeout | undefined;
  #onWritten: (() => void) | undefined;

  constructor(fd: number) {
    this.#fd = fd;
  }

  /** @param text one line */
  write(text: string): void {
    const line = Buffer.from(text);
    if (this.#waiting + line.length > MAX_WAITING_BYTES) {
      this.dropped += 1;
      return;
    }
    this.#lines.push(line);
    this.#bytes += line.length;
    // While a block waits for its next try, the timer alone starts writes.
    if (this.#bytes >= BLOCK_BYTES && this.#block.length === 0) this.#writeBlock();
    else this.#writeLater();
  }

  get #waiting(): number {
    return this.#block.length + this.#bytes;
  }

  #writeLater(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#writeBlock();
    }, WRITE_AFTER_MS).unref();
  }

  #writeBlock(): void {
    if (this.#isWriting || this.#waiting === 0) return;
    this.#fillBlock();
    this.#isWriting = true;
    write(this.#fd, this.#block, (error, written) => {
      this.#isWriting = false;
      if (error) return this.#writeLater();
      this.#block = this.#block.subarray(written);
      if (this.#block.length > 0 || this.#bytes >= BLOCK_BYTES) this.#writeBlock();
      else if (this.#bytes > 0) this.#writeLater();
      if (this.#waiting === 0) this.#onWritten?.();
    });
  }

  #fillBlock(): void {
    if (this.#block.length > 0) return;
    let count = 0;
    let bytes = 0;
    while (count < this.#lines.length && (count === 0 || bytes < MAX_WRITE_BYTES)) {
      bytes += this.#lines[count]?.length ?? 0;
      count += 1;
    }
    this.#block = Buffer.concat(this.#lines.splice(0, count), bytes);
    this.#bytes -= bytes;
  }

  /** Writes the waiting lines, and gives up after half a second. */
  async close(): Promise<void> {
    if (this.#waiting === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onWritten = resolve;
    const late = setTimeout(resolve, CLOSE_MS);
    this.#writeBlock();
    await promise;
    clearTimeout(late);
  }

  /** Writes the waiting lines while the process exits, and gives up at the first failure. */
  writeNow(): void {
    // A block that a thread is writing is left to the thread.
    if (this.#isWriting) this.#block = Buffer.alloc(0);
    try {
      while (this.#waiting > 0) {
        this.#fillBlock();
        this.#block = this.#block.subarray(writeSync(this.#fd, this.#block));
      }
    } catch {
      // The destination is full or closed.
    }
  }
}
