import { Socket } from "node:net";

/** The releases whose insides are known here. */
const KNOWN_NODE = /^v24\./;

/** One write, as Node's own lower half knows it. */
interface WriteRequest {
  oncomplete: (status: number) => void;
  /** Keeps what the system still reads from. */
  buffer: Uint8Array;
}

/** What lies beneath the stream of a socket. */
export interface SocketHandle {
  /** @returns 0, or the system's error as a number below it */
  writeBuffer(request: WriteRequest, bytes: Uint8Array): number;
}

interface Binding {
  WriteWrap: new () => WriteRequest;
  streamBaseState: Int32Array;
  kLastWriteWasAsync: number;
}

interface Writer {
  /** What had to wait is sent; or, with a status below 0, never will be. */
  onSent(status: number): void;
}

/** Writes past the stream of a socket, which then doesn't know of what waits. */
export interface DirectWrite {
  /** Undefined: no socket that can be written to like this. */
  handleOf(line: unknown): SocketHandle | undefined;
  /**
   * Only while nothing waits in the stream.
   * @returns how many bytes have to wait, of which the writer hears; below 0: an error
   */
  write(handle: SocketHandle, bytes: Uint8Array, writer: Writer): number;
}

/**
 * For each write that might have to wait, Node makes an object and goes through a dozen functions:
 * a seventh of what a reader costs, where hardly one has to. This calls what Node would call in the
 * end (docs/decisions/0022). Undefined where Node is not as expected.
 */
export function findDirectWrite(version = process.version): DirectWrite | undefined {
  const binding = KNOWN_NODE.test(version) ? findBinding() : undefined;
  if (!binding) return undefined;
  const { WriteWrap, streamBaseState, kLastWriteWasAsync } = binding;
  // A write that doesn't wait leaves it as it was.
  let spare = new WriteWrap();
  return {
    handleOf(line) {
      if (!(line instanceof Socket) || line.constructor !== Socket) return undefined;
      const { _handle: handle } = line as unknown as { _handle: Partial<SocketHandle> | null };
      return typeof handle?.writeBuffer === "function" ? (handle as SocketHandle) : undefined;
    },
    write(handle, bytes, writer) {
      const request = spare;
      const failure = handle.writeBuffer(request, bytes);
      if (failure === 0 && streamBaseState[kLastWriteWasAsync] === 0) return 0;
      spare = new WriteWrap();
      if (failure !== 0) return failure;
      request.oncomplete = (status) => writer.onSent(status);
      request.buffer = bytes;
      return bytes.byteLength;
    },
  };
}

function findBinding(): Binding | undefined {
  const { binding } = process as unknown as { binding?: (name: string) => Partial<Binding> };
  try {
    const found = binding?.("stream_wrap");
    const isKnown =
      typeof found?.WriteWrap === "function" &&
      found.streamBaseState instanceof Int32Array &&
      typeof found.kLastWriteWasAsync === "number";
    return isKnown ? (found as Binding) : undefined;
  } catch {
    // Node's permissions may forbid it.
    return undefined;
  }
}
