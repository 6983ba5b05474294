import "./soul-form.css";
import { Button, NativeSelect, Switch, Textarea, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type SubmitEvent, useState } from "react";
import { failureOf } from "../../failures.ts";
import { categoryList, type SoulFields } from "../../queries.ts";
import { countCharacters, limits } from "../../soul-files.ts";
import { FailureNote } from "../failure-note.tsx";
import { FileEditor } from "./file-editor.tsx";
import { useKeptDraft } from "./kept-draft.ts";
import { LeaveGuard } from "./leave-guard.tsx";
import { contentOf, fieldsOf, problemsOf, type SoulDraft } from "./soul-draft.ts";

interface SoulFormProps {
  draftKey: string;
  saved: SoulDraft;
  submitLabel: string;
  onSubmit: (fields: SoulFields) => void;
  isSending: boolean;
  error: Error | null;
  onCancel?: () => void;
}

export function SoulForm(props: SoulFormProps) {
  const { saved, draftKey, submitLabel, onSubmit, isSending, error, onCancel } = props;
  const { draft, setDraft, isChanged, isRestored, startOver } = useKeptDraft(draftKey, saved);
  const [wasSent, setWasSent] = useState(false);
  const failure = error ? failureOf(error) : undefined;
  const problems = problemsOf(draft);
  // Nobody is told off for what they have not finished; once sent, every mend shows at once.
  const shown: Partial<Record<string, string>> = {
    ...failure?.fields,
    ...(wasSent ? problems : onlyTooLong(problems, draft)),
  };
  const set = (part: Partial<SoulDraft>) => setDraft((before) => ({ ...before, ...part }));

  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    setWasSent(true);
    if (Object.keys(problems).length === 0) onSubmit(fieldsOf(draft));
    else focusFirstProblem(event.currentTarget);
  };
  return (
    <form className="soul-form" onSubmit={submit} noValidate>
      <LeaveGuard isChanged={isChanged} />
      <Basics draft={draft} set={set} shown={shown} />
      <section className="panel soul-form__files">
        <div>
          <h2 className="soul-form__heading">The soul itself</h2>
          <p>
            Who it is, how it speaks, what it never does. One file is enough; more files keep a
            larger soul in order.
          </p>
        </div>
        <FileEditor
          files={draft.files}
          onChange={(files) => set({ files })}
          content={contentOf(draft)}
          error={shown.content}
        />
      </section>
      {failure && <FailureNote failure={failure} />}
      <div className="soul-form__bar">
        <Switch
          label={whoSees(draft)}
          checked={draft.isPublic}
          onChange={({ currentTarget }) => set({ isPublic: currentTarget.checked })}
        />
        <div className="soul-form__ways">
          {isRestored && (
            <Button variant="subtle" color="gray" onClick={startOver}>
              Discard draft
            </Button>
          )}
          {onCancel && (
            <Button variant="default" onClick={onCancel}>
              Cancel
            </Button>
          )}
          <Button type="submit" loading={isSending}>
            {submitLabel}
          </Button>
        </div>
      </div>
    </form>
  );
}

function whoSees({ isPublic, nftContract }: SoulDraft): string {
  if (!isPublic) return "Private: only you can see it";
  return nftContract.trim()
    ? "Public: everybody can find it, holders can talk to it"
    : "Public: everybody can find and talk to it";
}

interface BasicsProps {
  draft: SoulDraft;
  set: (part: Partial<SoulDraft>) => void;
  shown: Partial<Record<string, string>>;
}

function Basics({ draft, set, shown }: BasicsProps) {
  const { data: categories = [] } = useQuery(categoryList);
  return (
    <section className="panel soul-form__basics" aria-label="About it">
      <TextInput
        label="Title"
        placeholder="The Night Sky Guide"
        required
        withAsterisk={false}
        value={draft.title}
        error={shown.title}
        onChange={({ currentTarget }) => set({ title: currentTarget.value })}
      />
      <Textarea
        label="Description"
        description={
          room(draft.description, limits.description) ?? "One or two sentences for the card."
        }
        rows={2}
        value={draft.description}
        error={shown.description}
        onChange={({ currentTarget }) => set({ description: currentTarget.value })}
      />
      <div className="soul-form__row">
        <NativeSelect
          label="Category"
          value={draft.role}
          data={[
            { value: "Other", label: "Other" },
            ...categories.map(({ slug, icon, name }) => ({
              value: slug,
              label: `${icon} ${name}`,
            })),
          ]}
          onChange={({ currentTarget }) => set({ role: currentTarget.value })}
        />
        <TextInput
          label="Domain"
          placeholder="astronomy"
          value={draft.domain}
          error={shown.domain}
          onChange={({ currentTarget }) => set({ domain: currentTarget.value })}
        />
        <TextInput
          label="Made for"
          placeholder="any"
          value={draft.compatibility}
          error={shown.compatibility}
          onChange={({ currentTarget }) => set({ compatibility: currentTarget.value })}
        />
      </div>
      <TextInput
        label="NFT gate"
        description="Only who owns a token of this NFT contract on NEAR, and you, can then read, talk to or fork it."
        placeholder="none"
        value={draft.nftContract}
        error={shown.nft_contract}
        spellCheck={false}
        autoCapitalize="none"
        onChange={({ currentTarget }) => set({ nftContract: currentTarget.value })}
      />
    </section>
  );
}

/** How much room is left, once it begins to matter. */
function room(text: string, limit: number): string | undefined {
  const left = limit - countCharacters(text);
  return left >= 0 && left < limit / 5 ? `${left.toLocaleString("en")} characters left` : undefined;
}

function onlyTooLong(problems: ReturnType<typeof problemsOf>, draft: SoulDraft) {
  const { title, content, ...rest } = problems;
  const isBlank = draft.files.every(({ text }) => !text.trim());
  return {
    ...rest,
    ...(title && draft.title.trim() ? { title } : {}),
    ...(content && !isBlank ? { content } : {}),
  };
}

function focusFirstProblem(form: HTMLFormElement): void {
  // After React has marked the fields.
  setTimeout(() => form.querySelector<HTMLElement>("[aria-invalid=true]")?.focus());
}
