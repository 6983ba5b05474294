import { Button } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { exactCount } from "../../counts.ts";
import { hub } from "../../hub.ts";
import { invalidate, marksOf, queryClient, type Soul, soulById } from "../../queries.ts";
import { toastFailure } from "../feedback/toasts.tsx";
import { HeartIcon } from "../icons.tsx";

interface LikeButtonProps {
  soul: Soul;
  isLiked: boolean;
  /** Whether `isLiked` has loaded. The like button is disabled until then. */
  isKnown: boolean;
}

/** Shows a like at once. If the hub refuses it, the button reverts and a toast shows the reason. */
export function LikeButton({ soul: { id, title, like_count }, isLiked, isKnown }: LikeButtonProps) {
  const show = (liked: boolean) => {
    queryClient.setQueryData(marksOf(id).queryKey, (marks) => marks && { ...marks, liked });
    queryClient.setQueryData(
      soulById(id).queryKey,
      (soul) =>
        soul && {
          ...soul,
          data: { ...soul.data, like_count: soul.data.like_count + (liked ? 1 : -1) },
        },
    );
  };
  const toggle = useMutation({
    mutationFn: () => hub.social.like.mutate({ soul_id: id }),
    onMutate: () => show(!isLiked),
    onError: (error) => {
      show(isLiked);
      toastFailure(error);
    },
    // The soul is fetched again, because other users may have changed the number of likes.
    onSettled: () =>
      Promise.all([
        invalidate(["marks", id], ["soul", id]),
        queryClient.invalidateQueries({ queryKey: ["souls"], refetchType: "none" }),
      ]),
  });
  const shownCount = exactCount(like_count);
  return (
    <Button
      variant="default"
      size="sm"
      leftSection={<HeartIcon size={18} />}
      aria-pressed={isLiked}
      aria-label={like_count === 0 ? `Like: ${title}` : `Like: ${title}, ${shownCount}`}
      disabled={!isKnown}
      onClick={() => {
        if (!toggle.isPending) toggle.mutate();
      }}
    >
      {like_count === 0 ? "Like" : shownCount}
    </Button>
  );
}
