import { Button } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { hub } from "../../../hub.ts";
import { saveFile } from "../../../save-file.ts";
import { FailureNote } from "../../feedback/failure-note.tsx";
import { DownloadIcon } from "../../icons.tsx";
import { useRoomContext } from "../room-context.ts";

const formats = [
  {
    format: "md",
    name: "Markdown",
    use: "The conversation as you read it here, with names. To read, print or keep.",
  },
  {
    format: "json",
    name: "JSON",
    use: "All messages of all branches, with everything that the hub stores about them.",
  },
] as const;

const types = { md: "text/markdown", json: "application/json" } as const;

/** Saves the conversation as a file. */
export function ExportConversation() {
  const { roomName } = useRoomContext();
  const save = useMutation({
    mutationFn: (format: "md" | "json") => hub.chat.export.query({ ...roomName, format }),
    onSuccess: ({ data: { filename, text } }, format) =>
      saveFile(filename, new Blob([text], { type: types[format] })),
  });
  const { data: saved } = save;
  return (
    <div className="stack stack--wide room-dialog">
      {formats.map(({ format, name, use }) => (
        <section key={format} className="stack stack--close">
          <h2>{name}</h2>
          <p className="muted">{use}</p>
          <div>
            <Button
              variant="default"
              leftSection={<DownloadIcon size={17} />}
              loading={save.isPending && save.variables === format}
              onClick={() => save.mutate(format)}
            >
              Save as {name}
            </Button>
          </div>
        </section>
      ))}
      <FailureNote error={save.error} />
      <p role="status">
        {saved && (
          <>
            Saved as <bdi>{saved.data.filename}</bdi>.{" "}
            {saved.data.is_complete
              ? "It is complete."
              : "It is not complete: the conversation is too long, and its oldest messages are left out."}
          </>
        )}
      </p>
    </div>
  );
}
