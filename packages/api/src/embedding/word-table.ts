import { closeSync, fstatSync, openSync, readSync } from "node:fs";

const MAGIC = "SHW1";
const HEADER_BYTES = 12;

/** A word of the table: its row, and how common it is. */
export interface Entry {
  row: number;
  /** 0 for the commonest words, 255 for the rarest. */
  rarity: number;
}

/**
 * The vectors of words in a file (0080). Rows are read by their position, so that the file does not
 * take memory: the process keeps four bytes per word.
 *
 * The file holds, little-endian: "SHW1", the number of words and of components as uint32; the
 * FNV-1a hashes of the words in ascending order as uint32; a rarity per word as uint8; the mean of
 * all texts as float32 per component; then per word its scale as float32 and an int8 per component.
 */
export class WordTable {
  readonly dimensions: number;
  /** The mean of the unit vectors of many texts. */
  readonly mean: Float32Array;
  readonly #file: number;
  readonly #hashes: Uint32Array;
  readonly #rarities: Uint8Array;
  readonly #rowsAt: number;
  readonly #row: Buffer;

  /** @throws Error if the file is missing or is no table of vectors with so many components */
  constructor(path: string, dimensions: number) {
    this.#file = openSync(path, "r");
    const header = this.#read(HEADER_BYTES, 0);
    const words = header.readUInt32LE(4);
    const meanAt = HEADER_BYTES + 5 * words;
    this.#rowsAt = meanAt + 4 * dimensions;
    this.#row = Buffer.alloc(4 + dimensions);
    const size = this.#rowsAt + words * this.#row.length;
    const isTable = header.toString("latin1", 0, 4) === MAGIC;
    const isWhole = header.readUInt32LE(8) === dimensions && fstatSync(this.#file).size === size;
    if (!isTable || !isWhole) {
      this.close();
      throw new Error(`${path} is no table of words`);
    }
    this.dimensions = dimensions;
    this.#hashes = new Uint32Array(words);
    const hashes = this.#read(4 * words, HEADER_BYTES);
    for (let at = 0; at < words; at++) this.#hashes[at] = hashes.readUInt32LE(4 * at);
    this.#rarities = this.#read(words, HEADER_BYTES + 4 * words);
    const mean = this.#read(4 * dimensions, meanAt);
    this.mean = Float32Array.from({ length: dimensions }, (_, at) => mean.readFloatLE(4 * at));
  }

  /** Finds a word. One unknown word of 140,000 is taken for another one, as hashes are. */
  find(word: string): Entry | undefined {
    const hash = hashOf(word);
    let [from, to] = [0, this.#hashes.length];
    while (from < to) {
      const middle = (from + to) >>> 1;
      if ((this.#hashes[middle] ?? 0) < hash) from = middle + 1;
      else to = middle;
    }
    if (this.#hashes[from] !== hash) return undefined;
    return { row: from, rarity: this.#rarities[from] ?? 0 };
  }

  /** Adds the vector of a row, times a weight, to a sum. */
  add(sum: Float64Array, { row }: Entry, weight: number): void {
    readSync(this.#file, this.#row, 0, this.#row.length, this.#rowsAt + row * this.#row.length);
    const scale = weight * this.#row.readFloatLE(0);
    for (let at = 0; at < sum.length; at++)
      sum[at] = (sum[at] ?? 0) + scale * this.#row.readInt8(4 + at);
  }

  close(): void {
    closeSync(this.#file);
  }

  #read(bytes: number, position: number): Buffer {
    const buffer = Buffer.alloc(bytes);
    readSync(this.#file, buffer, 0, bytes, position);
    return buffer;
  }
}

/** The hash FNV-1a, 32 bits, of a word of ASCII letters. */
function hashOf(word: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < word.length; at++) hash = Math.imul(hash ^ word.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
