import { exactCount } from "../counts.ts";
import "../components/account/auth.css";
import { Progress } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { createLazyRoute } from "@tanstack/react-router";
import { fromNow, fullDate, timeOfDay } from "../clock.ts";
import { MemberPage } from "../components/account/member-page.tsx";
import { BlocksSection } from "../components/blocks/blocks-section.tsx";
import { MentionSwitch } from "../components/room-list/mention-switch.tsx";
import { ApiKeySection } from "../components/settings/api-key-section.tsx";
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

export const route = createLazyRoute("/settings")({ component: SettingsPage });

function SettingsPage() {
  return (
    <MemberPage
      title="Settings"
      lead="Your account, keys and wallet."
      guestHint="Sign in to see your account."
      isColumn
    >
      {(user) => (
        <div className="stack">
          <Account user={user} />
          <EmailSection user={user} />
          <Today />
          <SettingsSection title="Notifications">
            <MentionSwitch username={user.username} />
          </SettingsSection>
          <ApiKeySection />
          <NamedKeysSection />
          <PasswordSection />
          <PasskeysSection />
          <SessionsSection />
          <ProviderKeysSection />
          <WalletSection user={user} />
          <BlocksSection />
          <DataSection />
          <DeletionSection />
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
