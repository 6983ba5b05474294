import "./exchange.css";
import { Button, Group, Loader, Modal, Switch } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { type ImportResult, invalidate } from "../../queries.ts";
import { FailureNote } from "../feedback/failure-note.tsx";
import { toast } from "../feedback/toasts.tsx";
import { Notes } from "./notes.tsx";
import { askedOnce, fileFailure, sendFile } from "./send-file.ts";

/** The largest file that the hub takes, in bytes (decisions §8). */
const MAX_BYTES = 16 * 1024 * 1024;

const importFile = (file: File, choices: { dry_run: "1" } | { is_public: "0" | "1" }) =>
  sendFile<ImportResult>(`/api/souls/import?${new URLSearchParams(choices)}`, file, MAX_BYTES);

const formats: Readonly<Record<string, string>> = {
  zip: "a soul package",
  charx: "a character card with its files (CHARX)",
  "card-png": "a character card in a picture",
  "card-json": "a character card (V3)",
  "card-v2-json": "a character card (V2)",
  "card-v1-json": "a character card (V1)",
  md: "a Markdown file",
};

/** Shows what the import of a file would do, and imports it. */
export function ImportDialog({ file, onClose }: { file: File; onClose: () => void }) {
  const navigate = useNavigate();
  const [isPublic, setIsPublic] = useState(false);
  const plan = useQuery({
    queryKey: ["import", file.name, file.size, file.lastModified],
    queryFn: () => importFile(file, { dry_run: "1" }),
    ...askedOnce,
  });
  const save = useMutation({
    mutationFn: () => importFile(file, { is_public: isPublic ? "1" : "0" }),
    onSuccess: async ({ id }) => {
      if (id !== null) await navigate({ to: "/soul/$id", params: { id }, ignoreBlocker: true });
      void toast({
        title: "Imported",
        message: isPublic
          ? "Everybody can read it now."
          : "Only you can see it until you make it public.",
      });
      await invalidate(["my-souls"], ["souls"]);
    },
  });
  const error = plan.error ?? save.error;
  return (
    <Modal opened onClose={onClose} title="Import a file">
      <div className="stack">
        {error && <FailureNote failure={fileFailure(error)} />}
        {plan.isLoading && <Loader aria-label="Reading the file" />}
        {plan.data && (
          <>
            <Plan name={file.name} plan={plan.data} />
            <Switch
              label="Public: everyone can read it and talk to it"
              description="Leave it private if it is somebody else's work."
              checked={isPublic}
              onChange={({ currentTarget }) => setIsPublic(currentTarget.checked)}
            />
          </>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          {plan.data && (
            <Button loading={save.isPending} onClick={() => save.mutate()} data-autofocus>
              {isPublic ? "Import and publish" : "Import as a private soul"}
            </Button>
          )}
        </Group>
      </div>
    </Modal>
  );
}

function Plan({ name, plan }: { name: string; plan: ImportResult }) {
  const content = plan.files.filter(({ kept }) => kept === "content");
  const beside = plan.files.length - content.length;
  return (
    <>
      <p>
        <strong>
          <bdi>{name}</bdi>
        </strong>{" "}
        is {formats[plan.format] ?? "a soul"}.
      </p>
      {content.some(({ path }) => path !== "") && (
        <section aria-label="Files of the soul">
          <h3 className="subheading">What the soul is made of</h3>
          <ul className="long-text exchange__files">
            {content.map(({ path }) => (
              <li key={path}>
                <bdi>{path}</bdi>
              </li>
            ))}
          </ul>
        </section>
      )}
      {beside > 0 && (
        <p className="muted">
          {beside === 1 ? "One file is" : `${beside} files are`} kept beside the soul. Every export
          of the same format contains it again.
        </p>
      )}
      <Notes heading="Good to know" notes={plan.warnings} />
    </>
  );
}
