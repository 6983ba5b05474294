import { SegmentedControl, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { textOf } from "../../form-data.ts";
import { hub } from "../../hub.ts";
import { invalidateHistory, me, type SoulVersion } from "../../queries.ts";
import { readSignature, SignedTextFields } from "../account/wallet-proof.tsx";
import { CopyField } from "../feedback/copy-field.tsx";
import { FailureNote } from "../feedback/failure-note.tsx";
import { FormFoot } from "../feedback/form-foot.tsx";
import { toast } from "../feedback/toasts.tsx";
import { useFormMutation } from "../feedback/use-checked-form.ts";

interface SignVersionProps {
  version: SoulVersion;
  onDone: () => void;
}

/** Signs a version with the author's wallet, or leads to the settings to bind one. */
export function SignVersion(props: SignVersionProps) {
  const { data: user } = useQuery(me);
  if (!user) return null;
  return user.wallet ? (
    <SignForm {...props} wallet={user.wallet} isVerified={user.wallet_verified} />
  ) : (
    <p>
      A wallet signs the version.{" "}
      <Link to="/settings/{-$group}" params={{ group: "security" }}>
        Bind a wallet in your settings
      </Link>{" "}
      first.
    </p>
  );
}

/** The forms in which wallets sign a text (decisions §4). */
const forms = [
  { value: "plain", label: "Plain text" },
  { value: "nep413", label: "NEP-413 message" },
];

interface SignFormProps extends SignVersionProps {
  wallet: string;
  isVerified: boolean;
}

function SignForm({ version, wallet, isVerified, onDone }: SignFormProps) {
  const { soul_id, number } = version;
  const [form, setForm] = useState("plain");
  const isNep413 = form === "nep413";
  const {
    form: checked,
    fields,
    failure,
    isPending,
  } = useFormMutation({
    mutationFn: (data: FormData) =>
      hub.versions.sign.mutate({
        soul_id,
        number,
        ...readSignature(data),
        ...(isNep413 && {
          nonce: textOf(data, "nonce"),
          recipient: hubHost(),
          callback_url: textOf(data, "callback_url") || undefined,
        }),
      }),
    onSuccess: async () => {
      await invalidateHistory(soul_id);
      onDone();
      void toast({ message: `v${number} is signed.` });
    },
  });
  const isRefused = failure?.code === "invalid_wallet_proof";
  return (
    <form className="stack" {...checked}>
      <p>
        {isVerified ? (
          <>
            A signature shows everyone that <strong>{wallet}</strong> vouches for this text.
          </>
        ) : (
          <>
            A signature shows that a key that names <strong>{wallet}</strong> signed this text.
            Without a connection to NEAR, this hub marks it as not confirmed.
          </>
        )}{" "}
        It can't be removed or replaced.
      </p>
      <div>
        <p className="subheading">Your wallet signs</p>
        <SegmentedControl
          aria-label="Your wallet signs"
          data={forms}
          value={form}
          onChange={setForm}
        />
      </div>
      <SignedTextFields
        label={`Sign these exact four lines with a full-access key of ${wallet}`}
        text={statementOf(version)}
        hint="There is no line break at the end."
        errors={fields}
      >
        {isNep413 && <Nep413Fields fields={fields} />}
      </SignedTextFields>
      {failure && (
        <FailureNote
          failure={
            isRefused ? { ...failure, hint: "Check the text, the key and the signature." } : failure
          }
        />
      )}
      <FormFoot size="xs" cancel="default" loading={isPending} onCancel={onDone}>
        Sign v{number}
      </FormFoot>
    </form>
  );
}

/** The parts of a NEP-413 message beside its text. */
function Nep413Fields({ fields }: { fields: Readonly<Record<string, string>> }) {
  const [nonce] = useState(newNonce);
  const code = { autoComplete: "off", spellCheck: false } as const;
  return (
    <>
      <div>
        <p className="subheading">Recipient</p>
        <CopyField text={hubHost()} />
      </div>
      <TextInput
        {...code}
        name="nonce"
        label="Nonce"
        description="32 bytes in base64. Replace it if your wallet made its own."
        defaultValue={nonce}
        required
        error={fields.nonce}
      />
      <TextInput
        {...code}
        name="callback_url"
        label="Callback URL (optional)"
        error={fields.callback_url}
      />
    </>
  );
}

const newNonce = () => btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(32))));

/** The text that the author signs (0036). */
const statementOf = ({ soul_id, number, digest }: SoulVersion): string =>
  `soulhub-version/1\nhub: ${hubHost()}\nsoul: ${soul_id} version ${number}\ndigest: ${digest}`;

/**
 * The host of BASE_URL, for which wallets sign. The page may be open at another address of the hub,
 * so the host is read from a tag that the server writes into each page.
 */
function hubHost(): string {
  const image = document.querySelector<HTMLMetaElement>('meta[property="og:image"]');
  return image ? new URL(image.content).host : location.host;
}
