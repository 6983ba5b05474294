import { useCallback, useState } from "react";

/** The soul in a sentence. A longer description opens on demand. */
export function SoulAbout({ text }: { text: string }) {
  const [isOpen, setIsOpen] = useState(false);
  const [isCut, setIsCut] = useState(false);
  const watch = useCallback((words: HTMLElement | null) => {
    if (!words) return;
    const observer = new ResizeObserver(() => setIsCut(words.scrollHeight > words.clientHeight));
    observer.observe(words);
    return () => observer.disconnect();
  }, []);
  return (
    <div className="page__lead soul__about">
      <p ref={watch} className={isOpen ? "long-text" : "clamp"} dir="auto">
        {text}
      </p>
      {(isOpen || isCut) && (
        <button
          type="button"
          className="plain-button"
          aria-expanded={isOpen}
          onClick={() => setIsOpen(!isOpen)}
        >
          {isOpen ? "Less" : "More"}
        </button>
      )}
    </div>
  );
}
