import { useDocumentTitle } from "@mantine/hooks";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { createLazyRoute, useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import { FailureView } from "../components/failure-view.tsx";
import { PagePending } from "../components/page-pending.tsx";
import { SignInWall } from "../components/sign-in-wall.tsx";
import { forgetDraft } from "../components/soul-form/kept-draft.ts";
import { draftOf } from "../components/soul-form/soul-draft.ts";
import { SoulForm } from "../components/soul-form/soul-form.tsx";
import { toast } from "../components/toasts.tsx";
import { failureFor, failureOf } from "../failures.ts";
import { hub } from "../hub.ts";
import { me, type Soul, type SoulFields, soulById } from "../queries.ts";

export const route = createLazyRoute("/soul/$id/edit")({ component: EditSoulPage });

function EditSoulPage() {
  const { id } = route.useParams();
  const user = useQuery(me);
  const soul = useQuery({ ...soulById(id), enabled: id > 0 });
  useDocumentTitle("Edit a soul · Soul Hub");
  if (!id) return <FailureView failure={failureFor("soul_not_found")} />;
  if (user.isSuccess && !user.data) {
    return <SignInWall title="Sign in to edit">Only its author can change a soul.</SignInWall>;
  }
  if (soul.isError) return <FailureView failure={failureOf(soul.error)} />;
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
  const cache = useQueryClient();
  const leave = () => navigate({ to: "/soul/$id", params: { id }, ignoreBlocker: true });
  const update = useMutation({
    mutationFn: (fields: SoulFields) => hub.souls.update.mutate({ id, ...fields }),
    onSuccess: async () => {
      await cache.invalidateQueries({ queryKey: ["soul", id] });
      await leave();
      forgetDraft(draftKey);
      void toast({ message: "Saved. The text before is kept in its history." });
      await cache.invalidateQueries({ queryKey: ["souls"] });
      await cache.invalidateQueries({ queryKey: ["my-souls"] });
    },
  });
  return (
    <div className="page">
      <h1 className="page__title">Edit {soul.title}</h1>
      <p className="page__lead">
        Rooms that are open go on with the new text from their next message.
      </p>
      <SoulForm
        draftKey={draftKey}
        saved={saved}
        submitLabel="Save"
        onSubmit={(fields) => update.mutate(fields)}
        isSending={update.isPending}
        error={update.error}
        onCancel={() => {
          forgetDraft(draftKey);
          void leave();
        }}
      />
    </div>
  );
}
