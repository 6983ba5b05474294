/**
 * Keeps the first visible message in place while messages above it are inserted or change their
 * height. The browser's own `overflow-anchor` does not suffice. Safari has none, no browser anchors
 * at the very top, and Chromium does not anchor after a programmatic scroll.
 */
export class ScrollAnchor {
  readonly #scroller: HTMLElement;
  /** The message that stays in place: the first visible one. */
  #line: Element | undefined;
  /** Distance of the anchored message from the top of the viewport, in px. */
  #top = 0;
  /** The last known scrollTop. A different scrollTop means that the reader has scrolled. */
  #scrollTop = 0;

  constructor(scroller: HTMLElement) {
    this.#scroller = scroller;
  }

  /** Moves the anchored message back. Called after each scroll or resize, before the paint. */
  restore(): void {
    const scrolled = this.#scroller.scrollTop - this.#scrollTop;
    const line = this.#line?.isConnected ? this.#line : undefined;
    if (line) {
      this.#top -= scrolled;
      const moved = line.getBoundingClientRect().top - this.#top;
      if (Math.abs(moved) >= 1) this.#scroller.scrollTop += moved;
    }
    // Only scrolling changes the anchored message, even if a message above it has become visible.
    if (!line || scrolled !== 0) this.#chooseLine();
    this.#scrollTop = this.#scroller.scrollTop;
  }

  /** Forgets the anchored message, because the reader is at the end of the conversation. */
  release(): void {
    this.#line = undefined;
  }

  #chooseLine(): void {
    const from = this.#scroller.getBoundingClientRect().top;
    const lines = this.#scroller.querySelectorAll(".line");
    // Binary search for the first message whose bottom is visible.
    let low = 0;
    let high = lines.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((lines[middle]?.getBoundingClientRect().bottom ?? 0) > from) high = middle;
      else low = middle + 1;
    }
    this.#line = lines[low];
    this.#top = this.#line?.getBoundingClientRect().top ?? 0;
  }
}
