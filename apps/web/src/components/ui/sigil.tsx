import "./sigil.css";
import { drawSigil, SIGIL_SIZE } from "@soul-hub/sigil";
import { useMemo } from "react";

/** A symmetric icon generated from a soul's id, since souls have no images. */
export function Sigil({ id, size = 48 }: { id: number; size?: number }) {
  const { hue, bold, soft } = useMemo(() => drawSigil(id), [id]);
  return (
    <span
      className="sigil"
      style={{ width: size, height: size, "--sigil-hue": hue } as React.CSSProperties}
    >
      <svg aria-hidden="true" viewBox={`0 0 ${SIGIL_SIZE} ${SIGIL_SIZE}`} width="68%" height="68%">
        <path d={bold} className="sigil__bold" />
        <path d={soft} className="sigil__soft" />
      </svg>
    </span>
  );
}
