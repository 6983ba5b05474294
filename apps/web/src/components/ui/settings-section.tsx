import type { ReactNode } from "react";

export function SettingsSection({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="panel stack stack--close stack--form" aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}
