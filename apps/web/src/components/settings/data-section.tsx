import { Button, Checkbox } from "@mantine/core";
import { useState } from "react";
import { FileChooser } from "../exchange/file-chooser.tsx";
import { DownloadIcon } from "../icons.tsx";
import { lazyPart } from "../ui/lazy-part.tsx";
import { SettingsSection } from "../ui/settings-section.tsx";

const ArchiveDialog = lazyPart(() => import("./archive-dialog.tsx"), "ArchiveDialog");

/** The parts of an archive, as GET /api/export names them. */
const parts = [
  { value: "souls", label: "Souls", description: "With all their versions." },
  {
    value: "chats",
    label: "Conversations",
    description: "The rooms that you own or have written in.",
  },
  { value: "social", label: "Likes and ratings", description: "Those that you gave." },
];

/** The archive of an account (0053): a download, and the import of one from another hub. */
export function DataSection() {
  const [chosen, setChosen] = useState(parts.map(({ value }) => value));
  return (
    <SettingsSection title="Your data">
      <p>
        Take everything of your account along, as a .zip file. It contains no password and no key.
        Souls in it can be read without a hub.
      </p>
      <Checkbox.Group label="What to download" value={chosen} onChange={setChosen}>
        <div className="stack stack--choices">
          {parts.map((part) => (
            <Checkbox key={part.value} {...part} />
          ))}
        </div>
      </Checkbox.Group>
      {chosen.length > 0 ? (
        <Button
          component="a"
          href={`/api/export?include=${chosen.join()}`}
          download
          variant="default"
          leftSection={<DownloadIcon size={17} />}
        >
          Download my data
        </Button>
      ) : (
        <p role="status">Choose at least one part.</p>
      )}
      <h3>Import an archive</h3>
      <p>
        Brings the archive of an account into this one, from this hub or another. Souls and rooms
        become private. A second import makes nothing twice.
      </p>
      <FileChooser label="Import an archive" accept=".zip">
        {(file, close) => <ArchiveDialog file={file} onClose={close} />}
      </FileChooser>
    </SettingsSection>
  );
}
