import "../../components/account/auth.css";
import { Button } from "@mantine/core";
import { createLazyRoute, useLocation, useNavigate } from "@tanstack/react-router";
import { fullDate, isPast } from "../../clock.ts";
import { UsernamePasswordFields } from "../../components/account/username-password-fields.tsx";
import { FailureNote } from "../../components/feedback/failure-note.tsx";
import { toast } from "../../components/feedback/toasts.tsx";
import { useFormMutation } from "../../components/feedback/use-checked-form.ts";
import { usePageTitle } from "../../components/ui/page-title.ts";
import { textOf } from "../../form-data.ts";
import { hub } from "../../hub.ts";

export const route = createLazyRoute("/undo-deletion")({ component: UndoDeletionPage });

/** Reopens an account that waits for its deletion (0063). The deletion itself leads here, too. */
function UndoDeletionPage() {
  const deletesAt = useLocation({ select: ({ state }) => state.deletesAt });
  const isGone = deletesAt !== undefined && isPast(deletesAt);
  usePageTitle("Keep your account · Soul Hub");
  return (
    <div className="page page--narrow">
      <h1 className="page__title">{deletesAt ? "Your account is closed" : "Keep your account"}</h1>
      <p className="page__lead" role="status">
        {isGone
          ? "It is being deleted now."
          : deletesAt
            ? `It will be deleted on ${fullDate(deletesAt)}. Until then you can change your mind here.`
            : "Undo the deletion of your account. Everything becomes as it was."}
      </p>
      {!isGone && <UndoForm />}
    </div>
  );
}

function UndoForm() {
  const navigate = useNavigate();
  const { form, fields, error, isPending } = useFormMutation({
    mutationFn: (form: FormData) =>
      hub.deletion.undo.mutate({
        username: textOf(form, "username"),
        password: String(form.get("password")),
      }),
    onSuccess: async ({ message }) => {
      await navigate({ to: "/sign-in" });
      void toast({ message });
    },
  });
  return (
    <form className="panel stack" {...form}>
      <FailureNote error={error} />
      <UsernamePasswordFields problems={fields} />
      <Button type="submit" size="md" loading={isPending}>
        Keep my account
      </Button>
    </form>
  );
}
