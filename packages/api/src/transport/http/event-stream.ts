import type { OutgoingHttpHeaders } from "node:http";
import type { FastifyReply } from "fastify";

interface KeepAlive {
  /** The comment that is sent in silence. */
  comment: string;
  afterMs: number;
}

/**
 * A response of server-sent events that begins with its first event, or with a comment after some
 * silence. Until then a failure is an ordinary error response.
 */
export class EventStream {
  readonly #reply: FastifyReply;
  readonly #keepAlive: NodeJS.Timeout;
  #isOpen = false;

  constructor(reply: FastifyReply, { comment, afterMs }: KeepAlive) {
    this.#reply = reply;
    this.#keepAlive = setInterval(() => this.write(`: ${comment}`), afterMs);
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Sends the lines of one event. */
  write(lines: string): void {
    const { raw } = this.#reply;
    if (!this.#isOpen) {
      this.#isOpen = true;
      this.#reply.hijack();
      raw.writeHead(200, {
        ...(this.#reply.getHeaders() as OutgoingHttpHeaders),
        "content-type": "text/event-stream; charset=utf-8",
        "cache-control": "no-store",
        // This header turns off buffering by nginx.
        "x-accel-buffering": "no",
      });
    }
    raw.write(`${lines}\n\n`);
    this.#keepAlive.refresh();
  }

  /** Stops the comments, also where no event was sent. */
  [Symbol.dispose](): void {
    clearInterval(this.#keepAlive);
  }

  end(): void {
    this.#reply.raw.end();
  }
}
