import { Button, Modal } from "@mantine/core";
import type { ReactNode } from "react";
import { CopyableCode } from "../feedback/copyable-code.tsx";
import { LinkIcon } from "../icons.tsx";
import { QrCode } from "./qr-code.tsx";

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
        <CopyableCode text={url} />
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
