import { useLocation } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { lazyPart } from "../ui/lazy-part.tsx";
import type { Question } from "./confirm-dialog.tsx";

const ConfirmDialog = lazyPart(() => import("./confirm-dialog.tsx"), "ConfirmDialog");

let show: (question: Question) => void = () => {};

/** Asks in a dialog before a change. The dialog loads with the first question. */
export const ask = (question: Question): void => show(question);

/** The dialog of {@link ask}. It belongs to one page, and closes where another one opens. */
export function Confirm() {
  const page = useLocation({ select: ({ pathname }) => pathname });
  const [asked, setAsked] = useState<{ question: Question; page: string }>();
  useEffect(() => {
    show = (question) => setAsked({ question, page });
  }, [page]);
  if (asked?.page !== page) return null;
  return <ConfirmDialog question={asked.question} onClose={() => setAsked(undefined)} />;
}
