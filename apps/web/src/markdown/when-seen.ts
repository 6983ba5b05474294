/** How near the view an element must be, in the window and in a scrolled part of the page. */
const NEAR = "300px";

/**
 * Calls `run` once, when the first of the elements comes near the view.
 * @returns a function that cancels the call
 */
export function whenSeen(elements: Iterable<Element>, run: () => void): () => void {
  const observer = new IntersectionObserver(
    (entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      observer.disconnect();
      run();
    },
    { rootMargin: NEAR, scrollMargin: NEAR },
  );
  for (const element of elements) observer.observe(element);
  return () => observer.disconnect();
}
