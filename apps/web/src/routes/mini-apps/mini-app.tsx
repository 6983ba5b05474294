import { Button, Skeleton } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { createLazyRoute, Link, useNavigate } from "@tanstack/react-router";
import { useId } from "react";
import { FailureNote } from "../../components/feedback/failure-note.tsx";
import { FailureView, QueryFailure } from "../../components/feedback/failure-view.tsx";
import { BackIcon } from "../../components/icons.tsx";
import { FormField } from "../../components/mini-app/form-field.tsx";
import { BlankSlate } from "../../components/ui/blank-slate.tsx";
import { LinkButton } from "../../components/ui/link-button.tsx";
import { usePageTitle } from "../../components/ui/page-title.ts";
import { Sigil } from "../../components/ui/sigil.tsx";
import { discardStoredDraft, useStoredDraft } from "../../draft-storage.ts";
import { failureFor, failureOf } from "../../failures.ts";
import { submitWith, useFocusOnRefusal } from "../../form-data.ts";
import { hub } from "../../hub.ts";
import { newRoomToken } from "../../new-room.ts";
import { type MiniApp, me, miniAppBySlug } from "../../queries.ts";

export const route = createLazyRoute("/apps/$slug")({ component: MiniAppPage });

function MiniAppPage() {
  const { slug } = route.useParams();
  const query = useQuery(miniAppBySlug(slug));
  const app = query.data;
  usePageTitle(app ? `${app.title} · Soul Hub` : "Mini apps · Soul Hub");
  if (query.isLoadingError) return <QueryFailure query={query} />;
  if (query.isSuccess && !app) return <FailureView failure={failureFor("app_not_found")} />;
  return (
    <div className="page page--reading">
      <p className="page__back">
        <Link to="/apps">
          <BackIcon size={16} /> All mini apps
        </Link>
      </p>
      {app ? (
        <>
          <h1 className="page__title">{app.title}</h1>
          <p className="page__lead">{app.description}</p>
          <MiniAppForm key={app.slug} app={app} />
        </>
      ) : (
        <Skeleton height={420} radius="lg" />
      )}
    </div>
  );
}

interface FormDraft {
  values: Readonly<Record<string, string>>;
  /** The id of the chosen soul. */
  chosen?: number;
}

const emptyForm: FormDraft = { values: {} };

function MiniAppForm({ app }: { app: MiniApp }) {
  const { data: user } = useQuery(me);
  const navigate = useNavigate();
  const { soul: preselected } = route.useSearch();
  const draftKey = `mini-app:${app.slug}`;
  const { draft, setDraft } = useStoredDraft(draftKey, emptyForm);
  const { values, chosen = preselected } = draft;
  const soul = app.souls.find(({ id }) => id === chosen) ?? app.souls[0];
  const submit = useMutation({
    mutationFn: (soul_id: number) =>
      hub.apps.submit.mutate({ slug: app.slug, soul_id, fields: values }),
    onSuccess: async ({ content, soul_id }) => {
      await navigate({
        to: "/chat/$id/$session",
        params: { id: soul_id, session: newRoomToken() },
        // The room page puts the draft into its composer, so that the user can review it.
        state: { draft: content },
      });
      discardStoredDraft(draftKey);
    },
  });
  const { error } = submit;
  const failure = error ? failureOf(error) : undefined;
  const form = useFocusOnRefusal(error);
  if (!soul) {
    return (
      <BlankSlate
        title="No matching soul yet"
        actions={<LinkButton to="/publish">Publish a soul</LinkButton>}
      >
        A public soul matches when its title, description, category or domain contains one of these
        words: {app.search_keywords.split(" ").join(", ")}.
      </BlankSlate>
    );
  }
  return (
    <form
      ref={form}
      className="stack"
      noValidate
      onSubmit={submitWith(() => submit.mutate(soul.id))}
    >
      {user === null && <AccountNote app={app} />}
      <section className="panel stack" aria-label="Details">
        {app.fields.map((field) => (
          <FormField
            key={field.name}
            field={field}
            value={values[field.name] ?? ""}
            onValue={(value) =>
              setDraft((before) => ({
                ...before,
                values: { ...before.values, [field.name]: value },
              }))
            }
            error={failure?.fields[`fields.${field.name}`]}
          />
        ))}
      </section>
      <SoulChoice
        souls={app.souls}
        chosen={soul.id}
        onChoose={(id) => setDraft((before) => ({ ...before, chosen: id }))}
      />
      <FailureNote failure={failure} />
      <div className="row">
        {user === null ? (
          <LinkButton to="/sign-in" search={{ next: pathOf(app) }} size="md">
            Sign in to continue
          </LinkButton>
        ) : (
          <Button type="submit" size="md" loading={submit.isPending}>
            Talk to {soul.title}
          </Button>
        )}
      </div>
    </form>
  );
}

/** Tells guests at the start of the form that it needs an account. */
function AccountNote({ app }: { app: MiniApp }) {
  const next = pathOf(app);
  return (
    <p className="panel muted">
      You need an account for this.{" "}
      <Link to="/sign-in" search={{ next }}>
        Sign in
      </Link>{" "}
      or{" "}
      <Link to="/sign-up" search={{ next }}>
        create an account
      </Link>
      . Whatever you fill in stays in this tab.
    </p>
  );
}

const pathOf = ({ slug }: MiniApp) => `/apps/${slug}`;

interface SoulChoiceProps {
  souls: MiniApp["souls"];
  chosen: number;
  onChoose: (id: number) => void;
}

/** A radio group of the souls that match a mini app, the most liked first. */
function SoulChoice({ souls, chosen, onChoose }: SoulChoiceProps) {
  const name = useId();
  return (
    <fieldset>
      <legend className="heading">Choose a soul</legend>
      <div className="soul-grid scrolled">
        {souls.map(({ id, title, description }) => (
          <label key={id} className="item item--choice item--framed">
            <input
              className="hidden-input"
              type="radio"
              name={name}
              checked={id === chosen}
              onChange={() => onChoose(id)}
            />
            <Sigil id={id} size={40} />
            <span className="item__words">
              <span dir="auto">{title}</span>
              <small className="clamp" dir="auto">
                {description}
              </small>
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
