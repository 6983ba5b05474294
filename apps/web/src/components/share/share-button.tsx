import { Button, type ButtonProps } from "@mantine/core";
import { lazy, Suspense, useState } from "react";
import { LinkIcon } from "../icons.tsx";

const ShareDialog = lazy(() =>
  import("./share-dialog.tsx").then((module) => ({ default: module.ShareDialog })),
);

interface ShareButtonProps extends ButtonProps {
  /** The button's text and the dialog's heading. */
  label: string;
  /** The link to share: an absolute URL. */
  url: string;
  /** The title that the device's share menu passes on. */
  title: string;
}

/** A button that opens the dialog for sharing a link. The dialog loads on first use. */
export function ShareButton({ label, url, title, ...rest }: ShareButtonProps) {
  const [isOpened, setIsOpened] = useState<boolean>();
  return (
    <>
      <Button
        variant="default"
        size="sm"
        leftSection={<LinkIcon size={17} />}
        aria-haspopup="dialog"
        onClick={() => setIsOpened(true)}
        {...rest}
      >
        {label}
      </Button>
      {isOpened !== undefined && (
        <Suspense>
          <ShareDialog
            isOpened={isOpened}
            onClose={() => setIsOpened(false)}
            heading={label}
            url={url}
            title={title}
          />
        </Suspense>
      )}
    </>
  );
}
