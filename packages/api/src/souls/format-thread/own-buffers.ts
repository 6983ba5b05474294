/** The buffers of bytes that no other bytes share, which can be moved to another thread. */
export const ownBuffers = (files: readonly Uint8Array[]): ArrayBuffer[] => [
  ...new Set(
    files.flatMap(({ buffer, byteLength }) =>
      buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : [],
    ),
  ),
];
