import "./mini-app.css";
import { Button, Skeleton } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { useMutation, useQuery } from "@tanstack/react-query";
import { createLazyRoute, Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { BlankSlate } from "../components/feedback/blank-slate.tsx";
import { FailureNote } from "../components/feedback/failure-note.tsx";
import { FailureView, QueryFailure } from "../components/feedback/failure-view.tsx";
import { BackIcon } from "../components/icons.tsx";
import { LinkButton } from "../components/layout/link-button.tsx";
import { FormField } from "../components/mini-app/form-field.tsx";
import { SoulChoice } from "../components/mini-app/soul-choice.tsx";
import { failureFor, failureOf } from "../failures.ts";
import { submitWith } from "../form-data.ts";
import { hub } from "../hub.ts";
import { newRoomToken } from "../new-room.ts";
import { type MiniApp, me, miniAppBySlug } from "../queries.ts";

export const route = createLazyRoute("/apps/$slug")({ component: MiniAppPage });

function MiniAppPage() {
  const { slug } = route.useParams();
  const query = useQuery(miniAppBySlug(slug));
  const app = query.data;
  useDocumentTitle(app ? `${app.title} · Soul Hub` : "Mini apps · Soul Hub");
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

function MiniAppForm({ app }: { app: MiniApp }) {
  const { data: user } = useQuery(me);
  const navigate = useNavigate();
  const { soul: preselected } = route.useSearch();
  const [values, setValues] = useState<Record<string, string>>({});
  const [chosen, setChosen] = useState(preselected);
  const soul = app.souls.find(({ id }) => id === chosen) ?? app.souls[0];
  const submit = useMutation({
    mutationFn: (soul_id: number) =>
      hub.apps.submit.mutate({ slug: app.slug, soul_id, fields: values }),
    onSuccess: ({ content, soul_id }) =>
      navigate({
        to: "/chat/$id/$session",
        params: { id: soul_id, session: newRoomToken() },
        // The room page puts the draft into its composer, so that the user can review it.
        state: { draft: content },
      }),
  });
  const failure = submit.error ? failureOf(submit.error) : undefined;
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
    <form className="stack" noValidate onSubmit={submitWith(() => submit.mutate(soul.id))}>
      <section className="panel stack" aria-label="Details">
        {app.fields.map((field) => (
          <FormField
            key={field.name}
            field={field}
            value={values[field.name] ?? ""}
            onValue={(value) => setValues((before) => ({ ...before, [field.name]: value }))}
            error={failure?.fields[`fields.${field.name}`]}
          />
        ))}
      </section>
      <SoulChoice souls={app.souls} chosen={soul.id} onChoose={setChosen} />
      {failure && <FailureNote failure={failure} />}
      <div className="row mini-app__end">
        {user === null ? (
          <SignInFirst slug={app.slug} />
        ) : (
          <Button type="submit" size="md" loading={submit.isPending}>
            Talk to {soul.title}
          </Button>
        )}
      </div>
    </form>
  );
}

function SignInFirst({ slug }: { slug: string }) {
  const next = `/apps/${slug}`;
  return (
    <>
      <LinkButton to="/sign-in" search={{ next }} size="md">
        Sign in to continue
      </LinkButton>
      <p>
        New here?{" "}
        <Link to="/sign-up" search={{ next }}>
          Create an account
        </Link>
        .
      </p>
    </>
  );
}
