import type { ButtonProps } from "@mantine/core";
import { LinkIcon } from "../icons.tsx";
import { DialogButton } from "../ui/dialog-button.tsx";
import { lazyPart } from "../ui/lazy-part.tsx";

const ShareDialog = lazyPart(() => import("./share-dialog.tsx"), "ShareDialog");

interface ShareButtonProps extends ButtonProps {
  /** The button's text and the dialog's heading. */
  label: string;
  /** The link to share: an absolute URL. */
  url: string;
  /** The title that the device's share menu passes on. */
  title: string;
}

/** A button that opens the dialog for sharing a link. */
export const ShareButton = ({ label, url, title, ...rest }: ShareButtonProps) => (
  <DialogButton
    variant="default"
    size="sm"
    leftSection={<LinkIcon size={17} />}
    dialog={(state) => <ShareDialog heading={label} url={url} title={title} {...state} />}
    {...rest}
  >
    {label}
  </DialogButton>
);
