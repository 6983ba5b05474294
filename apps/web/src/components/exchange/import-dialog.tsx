import "./exchange.css";
import { Button, Group, Loader, Modal } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { failureFor, failureOf } from "../../failures.ts";
import { invalidate } from "../../queries.ts";
import { FailureNote } from "../feedback/failure-note.tsx";
import { toast } from "../feedback/toasts.tsx";
import { ImportRefused, type ImportResult, importFile } from "./import-file.ts";

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
  const plan = useQuery({
    queryKey: ["import", file.name, file.size, file.lastModified],
    queryFn: () => importFile(file, true),
    retry: false,
    staleTime: 0,
    gcTime: 0,
  });
  const save = useMutation({
    mutationFn: () => importFile(file, false),
    onSuccess: async ({ id }) => {
      if (id !== null) await navigate({ to: "/soul/$id", params: { id }, ignoreBlocker: true });
      void toast({ title: "Imported.", message: "Only you can see it until you make it public." });
      await invalidate(["my-souls"]);
    },
  });
  const error = plan.error ?? save.error;
  return (
    <Modal opened onClose={onClose} title="Import a file">
      <div className="exchange">
        {error && <ImportFailure error={error} />}
        {plan.isLoading && <Loader aria-label="Reading the file" />}
        {plan.data && <Plan name={file.name} plan={plan.data} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          {plan.data && (
            <Button loading={save.isPending} onClick={() => save.mutate()} data-autofocus>
              Import as a private soul
            </Button>
          )}
        </Group>
      </div>
    </Modal>
  );
}

function ImportFailure({ error }: { error: Error }) {
  if (!(error instanceof ImportRefused)) return <FailureNote failure={failureOf(error)} />;
  const { body, message } = error;
  const failure = failureFor(String(body.error), body, message);
  const [[field, reason] = []] = Object.entries(failure.fields);
  const why = reason && (field ? `${field}: ${reason}.` : `It ${lowerFirst(reason)}.`);
  return <FailureNote failure={why ? { ...failure, hint: why } : failure} />;
}

const lowerFirst = (text: string) => text.charAt(0).toLowerCase() + text.slice(1);

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
          <h3 className="exchange__heading">What the soul is made of</h3>
          <ul className="exchange__files">
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
      {plan.warnings.length > 0 && (
        <section aria-label="Warnings">
          <h3 className="exchange__heading">Good to know</h3>
          <ul className="exchange__files">
            {plan.warnings.map(({ path, message }) => (
              <li key={`${path} ${message}`}>
                <bdi>{path}</bdi> {message}.
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}
