import { Button, Modal } from "@mantine/core";
import encodeQR from "qr";
import { type ReactNode, useMemo } from "react";
import { CopyField } from "../feedback/copy-field.tsx";
import { LinkIcon } from "../icons.tsx";

interface ShareDialogProps {
  isOpened: boolean;
  onClose: () => void;
  /** The dialog's heading, e.g. "Invite people". */
  heading: string;
  /** The link to share: an absolute URL. */
  url: string;
  /** The title that the device's share menu passes on. */
  title: string;
  /** The rights that the link gives. */
  children?: ReactNode;
}

/** Shares a link: as text to copy, as a QR code, and through the share menu of the device. */
export function ShareDialog(props: ShareDialogProps) {
  const { isOpened, onClose, heading, url, title, children } = props;
  return (
    <Modal opened={isOpened} onClose={onClose} title={heading}>
      <div className="stack">
        {children}
        <QrCode text={url} label={`QR code of the link to ${title}`} />
        <CopyField text={url} />
        {canShare({ url, title }) && (
          <Button leftSection={<LinkIcon size={17} />} onClick={() => void share({ url, title })}>
            Share with an app
          </Button>
        )}
      </div>
    </Modal>
  );
}

/** Most phones have a share menu, many desktop browsers have none. */
const canShare = (data: ShareData): boolean =>
  typeof navigator.share === "function" && (navigator.canShare?.(data) ?? true);

async function share(data: ShareData): Promise<void> {
  try {
    await navigator.share(data);
  } catch {
    // The user has closed the share menu, or the device refuses. The link can still be copied.
  }
}

/** The empty border that readers need around the code, in modules. */
const QUIET_ZONE = 4;

interface QrCodeProps {
  text: string;
  /** Describes the code for screen readers. */
  label: string;
}

/** A QR code. It is dark on light in both colour schemes, because many cameras need that. */
function QrCode({ text, label }: QrCodeProps) {
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
