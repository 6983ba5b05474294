import { DialogButton } from "../ui/dialog-button.tsx";
import { lazyPart } from "../ui/lazy-part.tsx";
import { SettingsSection } from "../ui/settings-section.tsx";

const DeletionDialog = lazyPart(() => import("./deletion-dialog.tsx"), "DeletionDialog");

export function DeletionSection() {
  return (
    <SettingsSection title="Delete your account">
      <p>
        It closes at once. Until it is deleted for good, you can open it again. To take your data
        along, download it first.
      </p>
      <DialogButton
        variant="default"
        c="var(--bad-text)"
        dialog={({ isOpened, onClose }) => isOpened && <DeletionDialog onClose={onClose} />}
      >
        Delete my account
      </DialogButton>
    </SettingsSection>
  );
}
