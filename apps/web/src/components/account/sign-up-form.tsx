import "./auth.css";
import { Button, Checkbox, TextInput } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useLocation, useNavigate } from "@tanstack/react-router";
import { textOf } from "../../form-data.ts";
import { hub } from "../../hub.ts";
import { FailureNote } from "../feedback/failure-note.tsx";
import { useCheckedForm } from "../feedback/use-checked-form.ts";
import { type AfterSignIn, conversations } from "./after-sign-in.tsx";
import { NewPasswordField } from "./new-password-field.tsx";
import { UsernameField } from "./username-password-fields.tsx";

interface SignUpFormProps extends Pick<AfterSignIn, "onSignedIn"> {
  /** The path of the page that opens afterwards. */
  next: string | undefined;
  /** Whether the hub asks for an invite (0058). */
  needsInvite: boolean;
}

/** Matches the fragment of the link to an invite. */
const INVITE = /^invite=(.+)$/;

export function SignUpForm({ next, needsInvite, onSignedIn }: SignUpFormProps) {
  const navigate = useNavigate();
  const { data: { guest_rooms: rooms = 0 } = {} } = useQuery({
    queryKey: ["guest-rooms"],
    queryFn: ({ signal }) => hub.accounts.guestRooms.query(undefined, { signal }),
  });
  const signUp = useMutation({
    mutationFn: async (form: FormData) => {
      const username = textOf(form, "username");
      const email = textOf(form, "email");
      const password = String(form.get("password"));
      const invite = textOf(form, "invite") || undefined;
      const answer = await hub.accounts.register.mutate({ username, password, email, invite });
      // Registration opens no login session, so the form then signs the user in.
      await hub.accounts.login.mutate({ username, password, remember: true }).then(
        () => onSignedIn(answer, rooms > 0 ? form.has("keep") : undefined),
        // The account exists.
        () => navigate({ to: "/sign-in", search: { next } }),
      );
    },
  });
  const given = useLocation({ select: ({ hash }) => INVITE.exec(hash)?.[1] ?? "" });
  const { form, fields, failure } = useCheckedForm(signUp);
  const refused = (code: string) =>
    failure?.code === code ? `${failure.title}. ${failure.hint}` : undefined;
  const taken = refused("username_taken");
  const noInvite = needsInvite ? refused("invite_invalid") : undefined;
  const isMarked = (taken ?? noInvite) !== undefined || Object.keys(fields).length > 0;
  return (
    <form className="panel stack" {...form}>
      {failure && !isMarked && <FailureNote failure={failure} />}
      {needsInvite && (
        <TextInput
          // The fragment may change while the page is open.
          key={given}
          name="invite"
          label="Invite code"
          defaultValue={given}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          required
          maxLength={200}
          error={fields.invite ?? noInvite}
        />
      )}
      <UsernameField
        description="3 to 32 letters, digits, - or _. It can't be changed later."
        minLength={3}
        maxLength={32}
        error={fields.username ?? taken}
      />
      <TextInput
        name="email"
        type="email"
        label="Email"
        autoComplete="email"
        required
        maxLength={254}
        error={fields.email}
      />
      <NewPasswordField
        name="password"
        label="Password"
        description="At least 8 characters. A few unrelated words make a good one."
        minLength={8}
        error={fields.password}
      />
      {rooms > 0 && (
        <Checkbox
          name="keep"
          defaultChecked
          label={`Keep the ${conversations(rooms)} of this browser`}
          description="Those of the last 7 days, without an account."
        />
      )}
      <Button type="submit" size="md" loading={signUp.isPending}>
        Create account
      </Button>
    </form>
  );
}
