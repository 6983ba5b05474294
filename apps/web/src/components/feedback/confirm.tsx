import { useLocation } from "@tanstack/react-router";
import { useEffect, useEffectEvent, useState } from "react";
import { lazyPart } from "../ui/lazy-part.tsx";
import type { Question } from "./confirm-dialog.tsx";

const ConfirmDialog = lazyPart(() => import("./confirm-dialog.tsx"), "ConfirmDialog");

let show: (question: Question) => void = () => {};

/** The page's content, which gets the focus after a change that removes the asking row. */
export const pageContent: NonNullable<Question["next"]> = {
  get current() {
    return document.querySelector("main");
  },
};

/** Asks in a dialog before a change. The dialog loads with the first question. */
export const ask = (question: Question): void => show(question);

/** The dialog of {@link ask}. It belongs to one page, and closes where another one opens. */
export function Confirm() {
  const page = useLocation({ select: ({ pathname }) => pathname });
  const [asked, setAsked] = useState<{
    question: Question;
    page: string;
    opener: Element | null;
  }>();
  useEffect(() => {
    show = (question) => setAsked({ question, page, opener: document.activeElement });
  }, [page]);
  const close = (isDone: boolean) => {
    setAsked(undefined);
    const next = asked?.question.next;
    // A removed message stays until the hub's next event, and its button with it.
    const places = [isDone && next ? null : asked?.opener, next?.current];
    requestAnimationFrame(() => {
      // The row of a deleted thing is gone, and the item of a menu will be.
      const there = places.find(
        (place) => place?.isConnected && !place.matches("body, [role=menu] *"),
      );
      const target = there ?? document.querySelector("main");
      if (target instanceof HTMLElement) target.focus({ preventScroll: !there });
    });
  };
  const isOpen = asked?.page === page;
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (!isOpen || event.key !== "Escape" || event.isComposing) return;
    event.stopImmediatePropagation();
    close(false);
  });
  useEffect(() => {
    // It is called before the listeners of a dialog or a form below the question, which stay open.
    addEventListener("keydown", onKey, true);
    return () => removeEventListener("keydown", onKey, true);
  }, []);
  return isOpen && <ConfirmDialog question={asked.question} onClose={close} />;
}
