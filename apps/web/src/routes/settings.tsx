import "../components/auth.css";
import "./settings.css";
import { Progress } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { createLazyRoute } from "@tanstack/react-router";
import { fromNow, fullDate, timeOfDay } from "../clock.ts";
import { PagePending } from "../components/page-pending.tsx";
import { ApiKeySection } from "../components/settings/api-key-section.tsx";
import { PasswordSection } from "../components/settings/password-section.tsx";
import { ProviderKeysSection } from "../components/settings/provider-keys-section.tsx";
import { SessionsSection } from "../components/settings/sessions-section.tsx";
import { SettingsSection } from "../components/settings/settings-section.tsx";
import { WalletSection } from "../components/settings/wallet-section.tsx";
import { SignInWall } from "../components/sign-in-wall.tsx";
import { type Me, me, quota } from "../queries.ts";

export const route = createLazyRoute("/settings")({ component: SettingsPage });

function SettingsPage() {
  const { data: user, isPending } = useQuery(me);
  useDocumentTitle("Settings · Soul Hub");
  if (isPending) return <PagePending />;
  if (!user) return <SignInWall title="Settings">Sign in to see your account.</SignInWall>;
  return (
    <div className="page page--reading">
      <h1 className="page__title">Settings</h1>
      <p className="page__lead">Your account at a glance.</p>
      <div className="settings">
        <Account user={user} />
        <Today />
        <ApiKeySection />
        <PasswordSection />
        <SessionsSection />
        <ProviderKeysSection />
        <WalletSection user={user} />
      </div>
    </div>
  );
}

function Account({ user }: { user: Me }) {
  return (
    <SettingsSection title="You">
      <dl className="settings__facts">
        <dt>Username</dt>
        <dd>{user.username}</dd>
        <dt>Email</dt>
        <dd>{user.email}</dd>
        <dt>Here since</dt>
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
  const { data: left } = useQuery(quota);
  if (!left) return null;
  const { daily_remaining, daily_limit, resets_at, max_input_chars } = left;
  return (
    <SettingsSection title="Today's messages">
      <p>
        <strong>{daily_remaining.toLocaleString("en")}</strong> of{" "}
        {daily_limit.toLocaleString("en")} left, each up to {max_input_chars.toLocaleString("en")}{" "}
        characters. Full again at {timeOfDay(resets_at)}, {fromNow(resets_at)}.
      </p>
      <Progress
        value={(daily_remaining / Math.max(1, daily_limit)) * 100}
        aria-label="Messages left today"
      />
    </SettingsSection>
  );
}
