import { PGlite, type PGliteOptions } from "@electric-sql/pglite";

/** Its only difference: a text that begins with a byte order mark keeps it. */
class WholeTextDecoder extends TextDecoder {
  constructor(label?: string, options?: ConstructorParameters<typeof TextDecoder>[1]) {
    super(label, { ...options, ignoreBOM: true });
  }
}

/**
 * Opens PGlite so that it returns every text as it was stored. Its protocol reader makes itself a
 * TextDecoder while it is constructed, with the default that swallows a leading byte order mark;
 * content is kept byte for byte (decisions §2). The global is exchanged for that moment alone:
 * the constructor is synchronous, so nobody else can see it.
 */
export async function openPglite(options: PGliteOptions): Promise<PGlite> {
  const { TextDecoder: standard } = globalThis;
  let pglite: PGlite;
  try {
    globalThis.TextDecoder = WholeTextDecoder;
    pglite = new PGlite(options);
  } finally {
    globalThis.TextDecoder = standard;
  }
  await pglite.waitReady;
  return pglite;
}
