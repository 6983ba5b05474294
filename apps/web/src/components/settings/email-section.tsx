import { TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { textOf } from "../../form-data.ts";
import { hub } from "../../hub.ts";
import { hubInfo, type Me, me } from "../../queries.ts";
import { ProofField, readProof } from "../account/proof-field.tsx";
import { SendVerification } from "../account/send-verification.tsx";
import { afterChange } from "../feedback/after-change.ts";
import { FormFoot } from "../feedback/form-foot.tsx";
import { useFormMutation } from "../feedback/use-checked-form.ts";
import { SettingsSection } from "../ui/settings-section.tsx";
import { FormOpener } from "./form-opener.tsx";

/** The member's address, whether it is verified, and its change (0059). */
export function EmailSection({ user: { email, email_verified } }: { user: Me }) {
  const { data: about } = useQuery(hubInfo);
  const isChecked = about?.mail && about.email_verification !== "off";
  return (
    <SettingsSection title="Email">
      <p>
        <strong>{email || "No address"}</strong>
        {isChecked && email && (email_verified ? " is verified." : " is not verified.")}
      </p>
      {isChecked && email && !email_verified && (
        <>
          <p>
            Open the link in the mail that we sent to it.
            {about.email_verification === "required" &&
              " Before that you can read and chat, but not publish, fork, like or rate."}
          </p>
          <SendVerification />
        </>
      )}
      <FormOpener label="Change the address">
        {(close) => <ChangeEmail hasMail={about?.mail ?? false} onDone={close} />}
      </FormOpener>
    </SettingsSection>
  );
}

function ChangeEmail({ hasMail, onDone }: { hasMail: boolean; onDone: () => void }) {
  const { form, fields, failure, isPending } = useFormMutation({
    mutationFn: async (form: FormData) =>
      hub.accounts.changeEmail.mutate({ email: textOf(form, "email"), ...(await readProof(form)) }),
    onSuccess: afterChange([me.queryKey], onDone),
  });
  return (
    <form className="stack stack--form" aria-label="New address" {...form}>
      {hasMail && (
        <p>
          We mail a link to the new address. The change is done when you open it. The old address
          gets a link that takes the change back.
        </p>
      )}
      <TextInput
        name="email"
        type="email"
        label="New email"
        autoComplete="email"
        required
        maxLength={254}
        autoFocus
        error={fields.email}
      />
      <ProofField problem={fields.password} failure={failure?.fields.email ? undefined : failure} />
      <FormFoot loading={isPending} onCancel={onDone}>
        Change the address
      </FormFoot>
    </form>
  );
}
