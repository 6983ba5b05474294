import { fromNow, fullDate, isPast } from "../../clock.ts";
import { textOf } from "../../form-data.ts";
import { hub } from "../../hub.ts";
import { type ApiKey, apiKeys, invalidate } from "../../queries.ts";
import { afterChange } from "../feedback/after-change.ts";
import { ask, pageContent } from "../feedback/confirm.tsx";
import { SmallButton } from "../ui/small-button.tsx";
import { scopeLabels } from "./key-scopes.ts";
import { NameField } from "./name-field.tsx";
import { StoredRow } from "./stored-row.tsx";

const expiryOf = (expiresAt: string | null) => {
  if (expiresAt === null) return "never expires";
  return `${isPast(expiresAt) ? "expired" : "expires"} ${fullDate(expiresAt)}`;
};

/** A named key in the list, with the buttons that rename and revoke it. */
export function NamedKey({ stored }: { stored: ApiKey }) {
  const { id, name, prefix, scopes, created_at, last_used_at, expires_at } = stored;
  const used = last_used_at ? `last used ${fromNow(last_used_at)}` : "never used";
  return (
    <StoredRow
      name={
        <>
          <bdi>{name}</bdi> <span className="code">{prefix}…</span>
        </>
      }
      facts={[
        scopes.map((scope) => scopeLabels[scope].label).join(", "),
        `Created ${fullDate(created_at)}, ${used}, ${expiryOf(expires_at)}`,
      ]}
    >
      <SmallButton
        aria-label={`Rename the key ${name}`}
        onClick={() =>
          ask({
            title: "Rename this key",
            verb: "Save",
            tone: "live",
            fields: (problems) => (
              <NameField defaultValue={name} error={problems.name} data-autofocus />
            ),
            run: async (form) => {
              await hub.accounts.renameKey.mutate({ id, name: textOf(form, "name") });
              await invalidate(apiKeys.queryKey);
            },
          })
        }
      >
        Rename
      </SmallButton>
      <SmallButton
        variant="subtle"
        color="red"
        aria-label={`Revoke the key ${name}`}
        onClick={() =>
          ask({
            title: "Revoke this key?",
            body: (
              <>
                <bdi>{name}</bdi> stops working at once, everywhere. This cannot be undone.
              </>
            ),
            verb: "Revoke",
            next: pageContent,
            run: () => hub.accounts.revokeKey.mutate({ id }).then(afterChange([apiKeys.queryKey])),
          })
        }
      >
        Revoke
      </SmallButton>
    </StoredRow>
  );
}
