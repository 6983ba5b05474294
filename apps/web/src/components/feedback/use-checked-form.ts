import { type UseMutationOptions, useMutation } from "@tanstack/react-query";
import { type FormEvent, type SubmitEvent, useState } from "react";
import { failureOf } from "../../failures.ts";
import { focusFirstProblem, useFocusOnRefusal } from "../../form-data.ts";

type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;
type Problems = Readonly<Record<string, string>>;

/** The part of a mutation that sends a form. */
interface Sending {
  mutate: (form: FormData) => void;
  error: Error | null;
}

/**
 * Checks a form by the constraints of its fields, e.g. `required`. All forms show problems as text
 * beside the field, in place of the browser's own bubbles. The focus moves to the first invalid
 * field, also when the hub refuses the form.
 * @returns `form`: the props of the form; `failure`: why the hub refused it; `fields`: the problem
 * of each invalid field, by name
 */
export function useCheckedForm({ mutate, error }: Sending) {
  const ref = useFocusOnRefusal(error);
  const [problems, setProblems] = useState<Problems>({});
  const onSubmit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const found = problemsIn(form);
    setProblems(found);
    if (Object.keys(found).length > 0) focusFirstProblem(form);
    else mutate(new FormData(form));
  };
  const onInput = ({ target }: FormEvent) => {
    const { [(target as Field).name]: corrected, ...others } = problems;
    if (corrected !== undefined) setProblems(others);
  };
  const failure = error ? failureOf(error) : undefined;
  const fields: Problems = { ...failure?.fields, ...problems };
  return { form: { ref, noValidate: true, onSubmit, onInput }, failure, fields };
}

/** A mutation that sends a form, which {@link useCheckedForm} checks. */
export function useFormMutation<Answer>(options: UseMutationOptions<Answer, Error, FormData>) {
  const call = useMutation(options);
  return { ...call, ...useCheckedForm(call) };
}

function problemsIn(form: HTMLFormElement): Problems {
  const fields = [...form.elements].filter((element): element is Field => "validity" in element);
  const found = fields.flatMap((field) => {
    const problem = field.name ? problemOf(field) : undefined;
    return problem ? [[field.name, problem] as const] : [];
  });
  return Object.fromEntries(found);
}

/** The problem of a field, in the words of the API's own messages. */
function problemOf(field: Field): string | undefined {
  const { valid, valueMissing, tooShort, typeMismatch } = field.validity;
  if (valid) return undefined;
  if (valueMissing) return `${nameOf(field)} is required`;
  if (tooShort) return `Must have at least ${(field as HTMLInputElement).minLength} characters`;
  if (typeMismatch) return "Must be an email address";
  return field.validationMessage;
}

/** The name of a field: the beginning of its label, unless the label asks. */
function nameOf({ labels }: Field): string {
  const name = labels?.[0]?.firstChild?.textContent ?? "";
  return name === "" || name.endsWith("?") ? "An answer" : name;
}
