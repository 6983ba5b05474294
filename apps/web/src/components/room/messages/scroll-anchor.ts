/** Messages above the kept one that are rendered at once: more than a browser renders ahead. */
const AHEAD = 40;

/**
 * Keeps the text of the first visible message in place while messages above it are inserted or
 * change their height. The browser's own `overflow-anchor` does not suffice. Safari has none, no
 * browser anchors at the very top, and Chromium does not anchor after a programmatic scroll.
 */
export class ScrollAnchor {
  readonly #scroller: HTMLElement;
  /** The element that keeps its place: the first visible message's text, or the target of `show`. */
  #kept: Element | undefined;
  /** Distance of the kept element from the top of the viewport, in px. */
  #top = 0;
  /** The last known scrollTop. A different scrollTop means that the reader has scrolled. */
  #scrollTop = 0;

  constructor(scroller: HTMLElement) {
    this.#scroller = scroller;
  }

  /**
   * Scrolls to an element, and keeps it in place until the reader scrolls.
   * @param at the place of the element: 0 at the top of the viewport, 0.5 in the middle
   */
  show(element: Element, at: number): void {
    const view = this.#scroller.getBoundingClientRect();
    const { top, height } = element.getBoundingClientRect();
    this.#scroller.scrollTop += top - view.top - at * Math.max(0, view.height - height);
    this.#scrollTop = this.#scroller.scrollTop;
    this.#keep(element);
  }

  /** Moves the kept element back. Called after each scroll or resize, before the paint. */
  restore(): void {
    const scrolled = this.#scroller.scrollTop - this.#scrollTop;
    const kept = this.#kept?.isConnected ? this.#kept : undefined;
    if (kept) {
      this.#top -= scrolled;
      const moved = kept.getBoundingClientRect().top - this.#top;
      if (Math.abs(moved) >= 1) this.#scroller.scrollTop += moved;
    }
    // Only scrolling changes the kept message, even if a message above it has become visible.
    if (!kept || scrolled !== 0) this.#chooseLine();
    else if (kept.matches(".line")) this.#keep(kept);
    this.#scrollTop = this.#scroller.scrollTop;
  }

  /**
   * Like `restore`, for messages that were put above the others. Those next to the kept element get
   * their heights at once. The browser would render them after the resize observers, and paint the
   * page once before they report it.
   */
  restoreBelowNew(): void {
    this.restore();
    const kept = this.#kept?.closest(".line") ?? this.#kept;
    for (let left = AHEAD, line = kept?.previousElementSibling; line && left > 0; left -= 1) {
      if (line instanceof HTMLElement) line.style.contentVisibility = "visible";
      line = line.previousElementSibling;
    }
    this.restore();
  }

  /** Keeps nothing, because the reader is at the end of the conversation. */
  release(): void {
    this.#kept = undefined;
  }

  #chooseLine(): void {
    const from = this.#scroller.getBoundingClientRect().top;
    const lines = this.#scroller.querySelectorAll(".line");
    this.#keep(lines[countWhere(lines, ({ bottom }) => bottom <= from)]);
  }

  /**
   * Keeps an element, or the text of a message: an earlier message of the same person takes away the
   * name above it. A text has no place before the browser renders it.
   */
  #keep(element: Element | undefined): void {
    const text = element?.querySelector(".line__said, .line__reply");
    this.#kept = text?.checkVisibility({ contentVisibilityAuto: true }) ? text : element;
    this.#top = this.#kept?.getBoundingClientRect().top ?? 0;
  }
}

/** The number of messages at the beginning whose place matches, by binary search. */
export function countWhere(
  lines: ArrayLike<Element>,
  matches: (place: DOMRect) => boolean,
): number {
  let low = 0;
  let high = lines.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const line = lines[middle];
    if (line && matches(line.getBoundingClientRect())) low = middle + 1;
    else high = middle;
  }
  return low;
}
