/**
 * Keeps the reader's line where it is while others come in above it or find their sizes. Browsers
 * do so too (`overflow-anchor`), but Safari doesn't, none does at the very top, and Chromium not
 * after a jump; so it is off in the room, and this alone does it.
 */
export class LineHold {
  readonly #box: HTMLElement;
  /** The first line in the window. */
  #line: Element | undefined;
  /** Where it stands there, px. */
  #top = 0;
  /** What the box has moved since is the reader's doing. */
  #scrollTop = 0;

  constructor(box: HTMLElement) {
    this.#box = box;
  }

  /** Whenever something may have moved, before it is drawn. */
  keep(): void {
    const scrolled = this.#box.scrollTop - this.#scrollTop;
    const line = this.#line?.isConnected ? this.#line : undefined;
    if (line) {
      this.#top -= scrolled;
      const moved = line.getBoundingClientRect().top - this.#top;
      if (Math.abs(moved) >= 1) this.#box.scrollTop += moved;
    }
    // Who has not scrolled reads the same line, though one above it may have grown into the window.
    if (!line || scrolled !== 0) this.#find();
    this.#scrollTop = this.#box.scrollTop;
  }

  /** Whoever is at the newest line holds no other. */
  release(): void {
    this.#line = undefined;
  }

  #find(): void {
    const from = this.#box.getBoundingClientRect().top;
    const lines = this.#box.querySelectorAll(".line");
    let above = 0;
    let end = lines.length;
    while (above < end) {
      const middle = (above + end) >> 1;
      if ((lines[middle]?.getBoundingClientRect().bottom ?? 0) > from) end = middle;
      else above = middle + 1;
    }
    this.#line = lines[above];
    this.#top = this.#line?.getBoundingClientRect().top ?? 0;
  }
}
