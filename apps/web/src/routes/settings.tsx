import { exactCount } from "../counts.ts";
import "../components/account/auth.css";
import "../components/settings/settings.css";
import { Progress } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { createLazyRoute, Link } from "@tanstack/react-router";
import type { ComponentType } from "react";
import { fromNow, fullDate, timeOfDay } from "../clock.ts";
import { MemberPage } from "../components/account/member-page.tsx";
import { BackIcon } from "../components/icons.tsx";
import { MentionSwitch } from "../components/room-list/mention-switch.tsx";
import { ApiKeySection } from "../components/settings/api-key-section.tsx";
import { BlocksSection } from "../components/settings/blocks-section.tsx";
import { DataSection } from "../components/settings/data-section.tsx";
import { DeletionSection } from "../components/settings/deletion-section.tsx";
import { EmailSection } from "../components/settings/email-section.tsx";
import { NamedKeysSection } from "../components/settings/named-keys-section.tsx";
import { PasskeysSection } from "../components/settings/passkeys-section.tsx";
import { PasswordSection } from "../components/settings/password-section.tsx";
import { ProviderKeysSection } from "../components/settings/provider-keys-section.tsx";
import { SessionsSection } from "../components/settings/sessions-section.tsx";
import { WalletSection } from "../components/settings/wallet-section.tsx";
import { SettingsSection } from "../components/ui/settings-section.tsx";
import { type Me, quota } from "../queries.ts";

export const route = createLazyRoute("/settings/{-$group}")({ component: SettingsPage });

interface Group {
  name: string;
  about: string;
  Sections: ComponentType<{ user: Me }>;
}

/** The groups by their part of the address, in the order of the list. */
const groups = {
  account: {
    name: "Account",
    about: "Your email, your plan and notifications.",
    Sections: ({ user }) => (
      <>
        <Account user={user} />
        <EmailSection user={user} />
        <Today />
        <SettingsSection title="Notifications">
          <MentionSwitch username={user.username} />
        </SettingsSection>
      </>
    ),
  },
  security: {
    name: "Sign-in & security",
    about: "Your password, passkeys, wallet and sessions.",
    Sections: ({ user }) => (
      <>
        <PasswordSection />
        <PasskeysSection />
        <WalletSection user={user} />
        <SessionsSection />
      </>
    ),
  },
  keys: {
    name: "Keys",
    about: "For programs that act as you, and for models at your own cost.",
    Sections: () => (
      <>
        <ApiKeySection />
        <NamedKeysSection />
        <ProviderKeysSection />
      </>
    ),
  },
  data: {
    name: "Privacy & data",
    about: "Take your data along, or delete your account.",
    Sections: () => (
      <>
        <DataSection />
        <DeletionSection />
      </>
    ),
  },
  people: { name: "People", about: "Whom you have blocked.", Sections: BlocksSection },
} satisfies Readonly<Record<string, Group>>;

type SettingsGroup = keyof typeof groups;
const entries = Object.entries(groups) as [SettingsGroup, Group][];

function SettingsPage() {
  const { group } = route.useParams();
  const [shown, { name, about, Sections }] =
    entries.find(([key]) => key === group) ?? (["account", groups.account] as const);
  const isChosen = group !== undefined;
  return (
    <MemberPage
      title={isChosen ? name : "Settings"}
      lead={isChosen ? about : "Your account, your keys and your data."}
      guestHint="Sign in to see your account."
      back={
        isChosen && (
          <p className="page__back settings__back">
            <Link to="/settings/{-$group}" params={{ group: undefined }}>
              <BackIcon size={16} /> Settings
            </Link>
          </p>
        )
      }
    >
      {(user) => (
        <div className="settings" data-chosen={isChosen}>
          <nav aria-label="Settings">
            <ul className="stack stack--tight">
              {entries.map(([key, { name, about }]) => (
                <li key={key}>
                  <Link
                    to="/settings/{-$group}"
                    params={{ group: key }}
                    className="item item--choice"
                    aria-current={key === shown ? "page" : undefined}
                  >
                    <span className="item__words">
                      {name}
                      <small>{about}</small>
                    </span>
                  </Link>
                </li>
              ))}
            </ul>
          </nav>
          <div className="stack">
            <Sections user={user} />
          </div>
        </div>
      )}
    </MemberPage>
  );
}

function Account({ user }: { user: Me }) {
  return (
    <SettingsSection title="Account">
      <dl className="facts">
        <dt>Username</dt>
        <dd>{user.username}</dd>
        <dt>Joined</dt>
        <dd>{fullDate(user.joined_at)}</dd>
        <dt>Plan</dt>
        <dd>
          {user.tier}
          {user.tier !== "free" &&
            user.pass_expires_at &&
            `, until ${fullDate(user.pass_expires_at)}`}
        </dd>
      </dl>
    </SettingsSection>
  );
}

function Today() {
  const { data: current } = useQuery(quota);
  if (!current) return null;
  const { daily_remaining, daily_limit, resets_at, max_input_chars } = current;
  return (
    <SettingsSection title="Today's messages">
      <p>
        <strong>{exactCount(daily_remaining)}</strong> of {exactCount(daily_limit)} left, each up to{" "}
        {exactCount(max_input_chars)} characters. Resets at {timeOfDay(resets_at)} (
        {fromNow(resets_at)}).
      </p>
      <Progress
        value={(daily_remaining / Math.max(1, daily_limit)) * 100}
        aria-label="Messages left today"
      />
    </SettingsSection>
  );
}
