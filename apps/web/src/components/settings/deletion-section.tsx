import { Button } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { lazy, Suspense } from "react";
import { SettingsSection } from "../ui/settings-section.tsx";

const DeletionDialog = lazy(() =>
  import("./deletion-dialog.tsx").then((module) => ({ default: module.DeletionDialog })),
);

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
      {isAsking && (
        <Suspense>
          <DeletionDialog onClose={close} />
        </Suspense>
      )}
    </SettingsSection>
  );
}
