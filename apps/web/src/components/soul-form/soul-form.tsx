import { exactCount } from "../../counts.ts";
import "./soul-form.css";
import { Button, NativeSelect, Switch, Textarea, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, type SubmitEvent, useState } from "react";
import { useStoredDraft } from "../../draft-storage.ts";
import { failureOf } from "../../failures.ts";
import { focusFirstProblem, useFocusOnRefusal } from "../../form-data.ts";
import { categoryList, type Soul, type SoulFields } from "../../queries.ts";
import { countCharacters, limits } from "../../soul-files.ts";
import { FailureNote } from "../feedback/failure-note.tsx";
import { lazyPart } from "../ui/lazy-part.tsx";
import { FileEditor } from "./file-editor.tsx";
import { LeaveGuard } from "./leave-guard.tsx";
import { contentOf, fieldsOf, problemsOf, type SoulDraft } from "./soul-draft.ts";

const TrySoul = lazyPart(() => import("./try-soul.tsx"), "TrySoul");

interface SoulFormProps {
  draftKey: string;
  saved: SoulDraft;
  submitLabel: string;
  /** The mutation that stores the soul. */
  save: { mutate: (fields: SoulFields) => void; isPending: boolean; error: Error | null };
  onCancel?: () => void;
  /** The saved soul, whose new version gets a note; absent for a new soul. */
  soul?: Soul;
}

export function SoulForm(props: SoulFormProps) {
  const { draftKey, saved, submitLabel, save, onCancel, soul } = props;
  const { draft, setDraft, isChanged, isRestored, startOver } = useStoredDraft(draftKey, saved);
  const [wasSent, setWasSent] = useState(false);
  // Each trial is a conversation of its own; 0: none.
  const [trial, setTrial] = useState(0);
  const { error } = save;
  const form = useFocusOnRefusal(error);
  const failure = error ? failureOf(error) : undefined;
  // Missing input is reported after the first attempt to submit, excess length at once.
  const shown: Partial<Record<string, string>> = {
    ...failure?.fields,
    ...problemsOf(draft, wasSent),
  };
  const set = (part: Partial<SoulDraft>) => setDraft((before) => ({ ...before, ...part }));

  const isReady = () => {
    setWasSent(true);
    const isComplete = Object.keys(problemsOf(draft, true)).length === 0;
    if (!isComplete && form.current) focusFirstProblem(form.current);
    return isComplete;
  };
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (isReady()) save.mutate(fieldsOf(draft));
  };
  const startTrial = () => {
    if (isReady()) setTrial((last) => last + 1);
  };
  return (
    <form ref={form} className="stack stack--wide" onSubmit={submit} noValidate>
      <LeaveGuard isChanged={isChanged} />
      <Basics draft={draft} set={set} shown={shown} />
      <section className="panel stack">
        <div>
          <h2>The soul’s text</h2>
          <p className="muted">
            Describe the character: how it speaks, and its limits. One file is enough; a larger soul
            can have several.
          </p>
        </div>
        <FileEditor
          files={draft.files}
          onChange={(files) => set({ files })}
          content={contentOf(draft)}
          error={shown.content}
          isNew={soul === undefined}
        />
      </section>
      {trial > 0 && (
        <TrySoul
          key={trial}
          draft={draft}
          soul={soul}
          isReady={isReady}
          onStartOver={startTrial}
          onClose={() => setTrial(0)}
        />
      )}
      <FailureNote failure={failure} />
      <div className="row row--apart soul-form__bar">
        <Switch
          label={visibilityLabel(draft)}
          checked={draft.isPublic}
          onChange={({ currentTarget }) => set({ isPublic: currentTarget.checked })}
        />
        <div className="row soul-form__actions">
          {soul && (
            <TextInput
              className="soul-form__note"
              aria-label="What changed?"
              placeholder="What changed?"
              value={draft.note}
              error={shown.note}
              onChange={({ currentTarget }) => set({ note: currentTarget.value })}
            />
          )}
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
          {trial === 0 && (
            <Button variant="default" onClick={startTrial}>
              Try
            </Button>
          )}
          <Button type="submit" loading={save.isPending}>
            {submitLabel}
          </Button>
        </div>
      </div>
    </form>
  );
}

function visibilityLabel({ isPublic, nftContract }: SoulDraft): string {
  if (!isPublic) return "Private: only you can see it";
  return nftContract.trim()
    ? "Public: anyone can find it, holders can talk to it"
    : "Public: anyone can find and talk to it";
}

interface BasicsProps {
  draft: SoulDraft;
  set: (part: Partial<SoulDraft>) => void;
  shown: Partial<Record<string, string>>;
}

function Basics({ draft, set, shown }: BasicsProps) {
  const { data: categories = [] } = useQuery(categoryList);
  const field = (name: "title" | "description" | "role" | "domain" | "compatibility") => ({
    value: draft[name],
    error: shown[name],
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) =>
      set({ [name]: currentTarget.value }),
  });
  return (
    <section className="panel stack" aria-label="Details">
      <TextInput {...field("title")} label="Title" placeholder="The Night Sky Guide" required />
      <Textarea
        {...field("description")}
        label="Description"
        description={
          remaining(draft.description, limits.description) ??
          "One or two sentences, shown in lists."
        }
        rows={2}
      />
      <div className="columns">
        <NativeSelect
          {...field("role")}
          label="Category"
          data={[
            { value: "Other", label: "Other" },
            ...categories.map(({ slug, icon, name }) => ({
              value: slug,
              label: `${icon} ${name}`,
            })),
          ]}
        />
        <TextInput {...field("domain")} label="Domain" placeholder="astronomy" />
        <TextInput {...field("compatibility")} label="Made for" placeholder="any" />
      </div>
      <More isOpenAtFirst={draft.nftContract !== ""}>
        <TextInput
          label="NFT gate"
          description="Only you and holders of a token of this NEAR contract will be able to read, use or fork it."
          placeholder="none"
          value={draft.nftContract}
          error={shown.nft_contract}
          spellCheck={false}
          autoCapitalize="none"
          onChange={({ currentTarget }) => set({ nftContract: currentTarget.value })}
        />
      </More>
    </section>
  );
}

/** Fields that few authors need. An invalid field unfolds them. */
function More({ isOpenAtFirst, children }: { isOpenAtFirst: boolean; children: ReactNode }) {
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>More</summary>
      {children}
    </details>
  );
}

/** Says how many characters remain, once less than a fifth of the limit is left. */
function remaining(text: string, limit: number): string | undefined {
  const left = limit - countCharacters(text);
  return left >= 0 && left < limit / 5 ? `${exactCount(left)} characters left` : undefined;
}
