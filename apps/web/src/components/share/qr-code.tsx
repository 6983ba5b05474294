import encodeQR from "qr";
import { useMemo } from "react";

/** The empty border that readers need around the code, in modules. */
const QUIET_ZONE = 4;

interface QrCodeProps {
  text: string;
  /** Describes the code for screen readers. */
  label: string;
}

/** A QR code. It is dark on light in both colour schemes, because many cameras need that. */
export function QrCode({ text, label }: QrCodeProps) {
  const { size, path } = useMemo(() => draw(text), [text]);
  return (
    <svg className="qr-code" role="img" aria-label={label} viewBox={`0 0 ${size} ${size}`}>
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" shapeRendering="crispEdges" />
    </svg>
  );
}

function draw(text: string): { size: number; path: string } {
  const modules = encodeQR(text, "raw", { border: QUIET_ZONE, ecc: "medium" });
  const squares = modules.flatMap((row, y) =>
    row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : "")),
  );
  return { size: modules.length, path: squares.join("") };
}
