import { useMutation, useQuery } from "@tanstack/react-query";
import { createLazyRoute, useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import { FailureView, QueryFailure } from "../components/feedback/failure-view.tsx";
import { PagePending } from "../components/feedback/page-pending.tsx";
import { toast } from "../components/feedback/toasts.tsx";
import { draftOf } from "../components/soul-form/soul-draft.ts";
import { SoulForm } from "../components/soul-form/soul-form.tsx";
import { usePageTitle } from "../components/ui/page-title.ts";
import { SignInWall } from "../components/ui/sign-in-wall.tsx";
import { discardStoredDraft } from "../draft-storage.ts";
import { failureFor } from "../failures.ts";
import { hub } from "../hub.ts";
import {
  invalidate,
  invalidateHistory,
  me,
  type Soul,
  type SoulFields,
  soulById,
} from "../queries.ts";

export const route = createLazyRoute("/soul/$id/edit")({ component: EditSoulPage });

function EditSoulPage() {
  const { id } = route.useParams();
  const user = useQuery(me);
  const soul = useQuery({ ...soulById(id), enabled: id > 0 });
  usePageTitle("Edit a soul · Soul Hub");
  if (!id) return <FailureView failure={failureFor("soul_not_found")} />;
  if (user.isSuccess && !user.data) {
    return <SignInWall title="Sign in to edit">Only its author can change a soul.</SignInWall>;
  }
  if (soul.isLoadingError) return <QueryFailure query={soul} />;
  if (!soul.data || !user.data) return <PagePending />;
  if (soul.data.username !== user.data.username) {
    return <FailureView failure={failureFor("not_owner")} />;
  }
  return <EditSoul key={soul.data.id} soul={soul.data} />;
}

function EditSoul({ soul }: { soul: Soul }) {
  const { id } = soul;
  const draftKey = `draft:${id}`;
  const saved = useMemo(() => draftOf(soul), [soul]);
  const navigate = useNavigate();
  const leave = () => navigate({ to: "/soul/$id", params: { id }, ignoreBlocker: true });
  const update = useMutation({
    mutationFn: (fields: SoulFields) => hub.souls.update.mutate({ id, ...fields }),
    onSuccess: async ({ version }) => {
      await invalidateHistory(id);
      await leave();
      discardStoredDraft(draftKey);
      void toast({ message: `Saved as v${version}. The previous version is in the history.` });
      await invalidate(["souls"], ["my-souls"]);
    },
  });
  return (
    <div className="page">
      <h1 className="page__title">
        Edit <bdi>{soul.title}</bdi>
      </h1>
      <p className="page__lead">
        Rooms use the new version from the next message on, except those that keep an older one.
      </p>
      <SoulForm
        draftKey={draftKey}
        saved={saved}
        submitLabel="Save"
        save={update}
        soul={soul}
        onCancel={() => {
          discardStoredDraft(draftKey);
          void leave();
        }}
      />
    </div>
  );
}
