import { useMutation } from "@tanstack/react-query";
import { createLazyRoute, useNavigate } from "@tanstack/react-router";
import { MemberPage } from "../components/account/member-page.tsx";
import { toast } from "../components/feedback/toasts.tsx";
import { emptyDraft } from "../components/soul-form/soul-draft.ts";
import { SoulForm } from "../components/soul-form/soul-form.tsx";
import { discardStoredDraft } from "../draft-storage.ts";
import { hub } from "../hub.ts";
import { invalidate, type SoulFields } from "../queries.ts";

export const route = createLazyRoute("/publish")({ component: PublishPage });

const DRAFT = "draft:new";

function PublishPage() {
  return (
    <MemberPage
      title="Publish a soul"
      lead="Write a character once; anyone can talk to it. Your draft stays in this tab until you publish."
      guestHint="Sign in to publish a soul under your name."
    >
      {() => <NewSoul />}
    </MemberPage>
  );
}

function NewSoul() {
  const navigate = useNavigate();
  const publish = useMutation({
    mutationFn: (fields: SoulFields) => hub.souls.publish.mutate(fields),
    onSuccess: async ({ id }) => {
      await navigate({ to: "/soul/$id", params: { id }, ignoreBlocker: true });
      discardStoredDraft(DRAFT);
      void toast({ title: "Published.", message: "Talk to it, or share this page." });
      await invalidate(["souls"], ["my-souls"]);
    },
  });
  return <SoulForm draftKey={DRAFT} saved={emptyDraft} submitLabel="Publish" save={publish} />;
}
