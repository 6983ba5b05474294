import { type SubmitEvent, useEffect, useRef } from "react";

/** Returns a submit handler that passes on the form's fields instead of loading a new page. */
export const submitWith =
  (send: (form: FormData) => void) => (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    send(new FormData(event.currentTarget));
  };

/** Returns the trimmed text of a form's field; empty if the form has no such field. */
export const textOf = (form: FormData, name: string) => String(form.get(name) ?? "").trim();

/** Moves the focus to the first invalid field of a form, and unfolds the part with the field. */
export function focusFirstProblem(form: HTMLFormElement): void {
  // The timeout lets React render the form's error messages before the focus moves.
  setTimeout(() => {
    const field = form.querySelector<HTMLElement>("[aria-invalid=true]");
    field?.closest("details")?.setAttribute("open", "");
    field?.focus();
  });
}

/** Returns the ref of a form whose first invalid field gets the focus when the hub refuses it. */
export function useFocusOnRefusal(error: Error | null) {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (error && form.current) focusFirstProblem(form.current);
  }, [error]);
  return form;
}
