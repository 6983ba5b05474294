import type { ReactNode } from "react";

export function SettingsSection({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="panel settings__section" aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}
