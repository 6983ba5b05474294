import { Modal, Radio } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { hub } from "../../hub.ts";
import { resetQueries } from "../../queries.ts";
import { ProofField, readProof } from "../account/proof-field.tsx";
import { DialogFoot } from "../feedback/dialog-foot.tsx";
import { useFormMutation } from "../feedback/use-checked-form.ts";

/** Asks whether to keep souls and messages, and closes the account until its deletion (0063). */
export function DeletionDialog({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate();
  const { form, fields, failure, isPending } = useFormMutation({
    mutationFn: async (form: FormData) =>
      hub.deletion.request.mutate({
        souls: form.get("souls") === "keep" ? "keep" : "delete",
        messages: form.get("messages") === "erase" ? "erase" : "anonymise",
        ...(await readProof(form)),
      }),
    onSuccess: async ({ deletes_at }) => {
      await navigate({ to: "/undo-deletion", state: { deletesAt: deletes_at } });
      await resetQueries();
    },
  });
  return (
    <Modal opened onClose={onClose} title="Delete your account?">
      <form className="stack stack--form" {...form}>
        <p>
          You are signed out everywhere, your keys stop, and your profile, souls and rooms close at
          once. You get a mail with the date of the deletion. Until then you can undo it. Your
          username is never given to anyone else.
        </p>
        <Radio.Group name="souls" label="Your public souls" defaultValue="delete">
          <div className="stack stack--choices">
            <Radio value="delete" label="Delete them" description="Forks by others live on." />
            <Radio
              value="keep"
              label="Leave them to everyone"
              description="They stay, without your name. Private souls are deleted."
            />
          </div>
        </Radio.Group>
        <Radio.Group
          name="messages"
          label="Your messages in other people's rooms"
          defaultValue="anonymise"
        >
          <div className="stack stack--choices">
            <Radio value="anonymise" label="Leave them, without my name" />
            <Radio
              value="erase"
              label="Remove their text as well"
              description="The conversations of others then have gaps."
            />
          </div>
        </Radio.Group>
        <ProofField problem={fields.password} failure={failure} />
        <DialogFoot onCancel={onClose} color="red" loading={isPending}>
          Delete my account
        </DialogFoot>
      </form>
    </Modal>
  );
}
