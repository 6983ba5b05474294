const CELL = 10;
const COLUMNS = 3;
const ROWS = 5;

/** The width and height of a sigil's drawing, in the units of its paths. */
export const SIGIL_SIZE = CELL * ROWS;

/** The drawing of a soul's sigil. The colours of its two paths derive from the hue. */
export interface SigilDrawing {
  /** In degrees, for colours in OKLCH. */
  hue: number;
  /** Path data of the shapes in the strong colour. */
  bold: string;
  /** Path data of the shapes in the soft colour. */
  soft: string;
}

/** A seeded pseudo-random generator (mulberry32): numbers in [0, 1). */
function seeded(seed: number): () => number {
  let state = (seed * 2_654_435_761) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Draws the symmetric icon of a soul from its id, since souls have no images. */
export function drawSigil(id: number): SigilDrawing {
  const next = seeded(id);
  // Multiples of the golden angle give consecutive ids distinct hues.
  const hue = Math.round((id * 137.508) % 360);
  const paths = { bold: "", soft: "" };
  for (let row = 0; row < ROWS; row++) {
    for (let column = 0; column < COLUMNS; column++) {
      const chance = next();
      const turn = Math.floor(next() * 4);
      const tone = next() > 0.3 ? "bold" : "soft";
      if (chance > 0.78) continue;
      const kind = chance < 0.36 ? "quarter" : chance < 0.6 ? "square" : "dot";
      paths[tone] += draw(kind, column, row, turn);
      const mirror = COLUMNS * 2 - 2 - column;
      if (mirror !== column) paths[tone] += draw(kind, mirror, row, turn ^ 1);
    }
  }
  return { hue, ...paths };
}

function draw(kind: "quarter" | "square" | "dot", column: number, row: number, turn: number) {
  const left = column * CELL;
  const top = row * CELL;
  if (kind === "square") return `M${left} ${top}h${CELL}v${CELL}h-${CELL}z`;
  if (kind === "dot") {
    const r = CELL * 0.36;
    return `M${left + CELL / 2 - r} ${top + CELL / 2}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`;
  }
  // `x` and `y` are the corner of the quarter circle. Bit 0 of `turn` selects the left or right
  // side, so that `turn ^ 1` mirrors the shape.
  const x = left + (turn & 1 ? CELL : 0);
  const y = top + (turn & 2 ? CELL : 0);
  const dx = turn & 1 ? -CELL : CELL;
  const dy = turn & 2 ? -CELL : CELL;
  const sweep = dx * dy > 0 ? 1 : 0;
  return `M${x} ${y}h${dx}A${CELL} ${CELL} 0 0 ${sweep} ${x} ${y + dy}z`;
}
