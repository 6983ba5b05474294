import { Button } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { lazyPart } from "../ui/lazy-part.tsx";
import { SettingsSection } from "../ui/settings-section.tsx";

const DeletionDialog = lazyPart(() => import("./deletion-dialog.tsx"), "DeletionDialog");

export function DeletionSection() {
  const [isAsking, { open, close }] = useDisclosure();
  return (
    <SettingsSection title="Delete your account">
      <p>
        It closes at once. Until it is deleted for good, you can open it again. To take your data
        along, download it first.
      </p>
      <Button variant="default" c="var(--bad-text)" onClick={open}>
        Delete my account
      </Button>
      {isAsking && <DeletionDialog onClose={close} />}
    </SettingsSection>
  );
}
