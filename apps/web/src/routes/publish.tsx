import { useDocumentTitle } from "@mantine/hooks";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { createLazyRoute, useNavigate } from "@tanstack/react-router";
import { PagePending } from "../components/page-pending.tsx";
import { SignInWall } from "../components/sign-in-wall.tsx";
import { forgetDraft } from "../components/soul-form/kept-draft.ts";
import { emptyDraft } from "../components/soul-form/soul-draft.ts";
import { SoulForm } from "../components/soul-form/soul-form.tsx";
import { toast } from "../components/toasts.tsx";
import { hub } from "../hub.ts";
import { me, type SoulFields } from "../queries.ts";

export const route = createLazyRoute("/publish")({ component: PublishPage });

const DRAFT = "draft:new";

function PublishPage() {
  const { data: user, isPending } = useQuery(me);
  useDocumentTitle("Publish a soul · Soul Hub");
  if (isPending) return <PagePending />;
  if (!user) {
    return (
      <SignInWall title="Publish a soul">A soul needs an author. It takes a minute.</SignInWall>
    );
  }
  return <NewSoul />;
}

function NewSoul() {
  const navigate = useNavigate();
  const cache = useQueryClient();
  const publish = useMutation({
    mutationFn: (fields: SoulFields) => hub.souls.publish.mutate(fields),
    onSuccess: async ({ id }) => {
      await navigate({ to: "/soul/$id", params: { id }, ignoreBlocker: true });
      forgetDraft(DRAFT);
      void toast({ title: "It lives.", message: "Talk to it, or share the page." });
      await cache.invalidateQueries({ queryKey: ["souls"] });
      await cache.invalidateQueries({ queryKey: ["my-souls"] });
    },
  });
  return (
    <div className="page">
      <h1 className="page__title">Publish a soul</h1>
      <p className="page__lead">
        Write a character once; anybody can meet it. Your draft stays in this tab until you publish.
      </p>
      <SoulForm
        draftKey={DRAFT}
        saved={emptyDraft}
        submitLabel="Publish"
        onSubmit={(fields) => publish.mutate(fields)}
        isSending={publish.isPending}
        error={publish.error}
      />
    </div>
  );
}
