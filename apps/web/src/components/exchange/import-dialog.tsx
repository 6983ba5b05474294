import "./exchange.css";
import { Button, Group, Loader, Modal, Switch } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { type ImportResult, invalidate } from "../../queries.ts";
import { fillMacros, readSoulFiles } from "../../soul-files.ts";
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

interface ImportDialogProps {
  file: File;
  onClose: () => void;
  /** Takes the texts of the file into the open draft instead. */
  onTexts: () => void;
}

/** The characters of a text that the dialog shows. */
const SHOWN_CHARS = 2_000;

/** What rooms do with a file, and how its macro of the person reads. */
const uses: Readonly<Record<string, readonly [use: string, user: string]>> = {
  "greeting.md": ["Its first words in a room.", "you"],
  "starters.md": ["First messages to choose from.", "you"],
};

/** Shows what the import of a file would do, and imports it. */
export function ImportDialog({ file, onClose, onTexts }: ImportDialogProps) {
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
            <Plan file={file} plan={plan.data} />
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
          {!isPicture(file) && (
            <Button variant="default" onClick={onTexts}>
              Only its texts, into the form
            </Button>
          )}
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

/** True for a card whose bytes are no text. */
const isPicture = ({ name }: File): boolean => /\.(?:png|charx)$/i.test(name);

function Plan({ file, plan }: { file: File; plan: ImportResult }) {
  const { preview, format } = plan;
  const [picture] = useState(() => (format === "card-png" ? URL.createObjectURL(file) : undefined));
  const beside = plan.files.filter(({ kept, path }) => kept === "package" && path !== "");
  return (
    <>
      <div className="item">
        {picture && (
          <img
            className="exchange__picture"
            src={picture}
            alt=""
            onLoad={() => URL.revokeObjectURL(picture)}
          />
        )}
        <p className="item__words">
          <strong dir="auto">{preview?.title}</strong>
          <small>
            <bdi>{file.name}</bdi> is {formats[format] ?? "a soul"}.
          </small>
        </p>
      </div>
      {preview && <Parts preview={preview} fileType={plan.file_type} />}
      {beside.length > 0 && (
        <details>
          <summary>
            {beside.length === 1 ? "One file is" : `${beside.length} files are`} kept beside the
            soul
          </summary>
          <p className="muted">Every export of the same format contains them again:</p>
          <ul className="long-text exchange__files">
            {beside.map(({ path }) => (
              <li key={path}>
                <bdi>{path}</bdi>
              </li>
            ))}
          </ul>
        </details>
      )}
      <Notes heading="Good to know" notes={plan.warnings} />
    </>
  );
}

interface PartsProps {
  preview: NonNullable<ImportResult["preview"]>;
  fileType: ImportResult["file_type"];
}

/** What becomes of each text, with the macros of a card as the hub fills them. */
function Parts({ preview: { title, content, character }, fileType }: PartsProps) {
  const shown = (text: string, user: string) =>
    character === null ? text : fillMacros(text, { char: character, user });
  return (
    <section aria-label="Files of the soul">
      <h3 className="subheading">What the soul is made of</h3>
      <ul className="stack stack--tight">
        {readSoulFiles({ content, file_type: fileType }).map(({ name, text }) => {
          const [use, user] = uses[name.toLowerCase()] ?? [
            "The soul reads it.",
            "the person you answer",
          ];
          return (
            <li key={name}>
              <details>
                <summary>
                  <bdi>{name}</bdi> <small className="muted">{use}</small>
                </summary>
                <p className="long-text quote" dir="auto">
                  {shown(text, user).slice(0, SHOWN_CHARS)}
                </p>
              </details>
            </li>
          );
        })}
      </ul>
      {character !== null && (
        <p className="muted">
          <code>{"{{char}}"}</code> becomes <bdi>{character || title}</bdi>.
        </p>
      )}
    </section>
  );
}
