import { Skeleton } from "@mantine/core";
import { type ReactNode, Suspense } from "react";
import { useRoomContext } from "../room-context.ts";
import type { PanelPart } from "./use-panel.ts";

interface PanelSectionProps {
  part: PanelPart;
  title: string;
  /** What the section contains, in a word, while it is closed. */
  fact?: ReactNode;
  /** Loads when the section is first opened. */
  children: ReactNode;
}

/** A part of the panel that only its heading shows until it is opened. */
export function PanelSection({ part, title, fact, children }: PanelSectionProps) {
  const { panel } = useRoomContext();
  const isOpen = panel.open.has(part);
  return (
    <details
      className="panel-section"
      data-part={part}
      open={isOpen}
      onToggle={({ currentTarget }) => panel.toggle(part, currentTarget.open)}
    >
      <summary>
        <h2>{title}</h2>
        {!isOpen && <span className="small">{fact}</span>}
      </summary>
      {isOpen && (
        <Suspense fallback={<Skeleton height={64} radius="md" />}>
          <div className="stack stack--close stack--form">{children}</div>
        </Suspense>
      )}
    </details>
  );
}
