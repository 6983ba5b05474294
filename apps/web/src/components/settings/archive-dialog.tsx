import "../../error-messages/further-error-messages.ts";
import { Button, Group, Loader, Modal } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { exactCount } from "../../counts.ts";
import { failureFor } from "../../failures.ts";
import { type ArchiveResult, queryClient } from "../../queries.ts";
import { Notes } from "../exchange/notes.tsx";
import { askedOnce, fileFailure, sendFile } from "../exchange/send-file.ts";
import { FailureNote } from "../feedback/failure-note.tsx";

/** The largest archive that the hub takes in one call, in bytes (0053). */
const MAX_BYTES = 64 * 1024 * 1024;

const kinds = [
  ["souls", "Souls"],
  ["versions", "Former versions"],
  ["rooms", "Rooms"],
  ["lines", "Messages"],
  ["likes", "Likes"],
  ["ratings", "Ratings"],
] as const;

const importArchive = (file: File, isDry: boolean) =>
  sendFile<ArchiveResult>(`/api/import${isDry ? "?dry_run=1" : ""}`, file, MAX_BYTES);

const tooLarge = {
  ...failureFor("body_too_large"),
  hint: "The page imports archives of up to 64 MB. The command line imports larger ones.",
};

/** Shows what the import of an archive would do, imports it, and shows what it did. */
export function ArchiveDialog({ file, onClose }: { file: File; onClose: () => void }) {
  const plan = useQuery({
    queryKey: ["import-archive", file.name, file.size, file.lastModified],
    queryFn: () => importArchive(file, true),
    ...askedOnce,
  });
  const save = useMutation({
    mutationFn: () => importArchive(file, false),
    onSuccess: () => queryClient.invalidateQueries(),
  });
  const error = plan.error ?? save.error;
  const failure = error && fileFailure(error);
  const done = save.data;
  const result = done ?? plan.data;
  const isNew = plan.data && kinds.some(([kind]) => plan.data[kind].created > 0);
  return (
    <Modal opened onClose={onClose} title="Import an archive">
      <div className="stack">
        {failure && (
          <FailureNote failure={failure.code === "body_too_large" ? tooLarge : failure} />
        )}
        {plan.isLoading && <Loader aria-label="Reading the archive" />}
        {result && (
          <>
            <p role="status">
              {done
                ? "The archive is imported."
                : isNew
                  ? "The import would bring this into your account:"
                  : "The archive has nothing new for your account."}
            </p>
            <Counts result={result} />
            <Notes
              heading="Left out"
              notes={result.skipped.map(({ path, reason }) => ({ path, message: reason }))}
            />
            <Notes heading="Good to know" notes={result.warnings} />
          </>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {isNew && !done ? "Cancel" : "Close"}
          </Button>
          {isNew && !done && (
            <Button loading={save.isPending} onClick={() => save.mutate()} data-autofocus>
              Import
            </Button>
          )}
        </Group>
      </div>
    </Modal>
  );
}

function Counts({ result }: { result: ArchiveResult }) {
  return (
    <table className="exchange__counts">
      <thead>
        <tr>
          <th scope="col">In the archive</th>
          <th scope="col">New</th>
          <th scope="col">Already here</th>
        </tr>
      </thead>
      <tbody>
        {kinds.map(([kind, name]) => (
          <tr key={kind}>
            <th scope="row">{name}</th>
            <td>{exactCount(result[kind].created)}</td>
            <td>{exactCount(result[kind].unchanged)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
