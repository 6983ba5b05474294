import { Button } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { failureOf } from "../../failures.ts";
import { hub } from "../../hub.ts";
import { marksOf, type Soul, soulById } from "../../queries.ts";
import { HeartIcon } from "../icons.tsx";
import { toast } from "../toasts.tsx";

interface LikeButtonProps {
  soul: Soul;
  isLiked: boolean;
  /** Before it is, a press could mean either. */
  isKnown: boolean;
}

/** Answers at once; the hub's word follows, and an undone like says why. */
export function LikeButton({ soul: { id, title, like_count }, isLiked, isKnown }: LikeButtonProps) {
  const cache = useQueryClient();
  const show = (liked: boolean) => {
    cache.setQueryData(marksOf(id).queryKey, (marks) => marks && { ...marks, liked });
    cache.setQueryData(
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
      const { title: what, hint } = failureOf(error);
      void toast({ color: "red", title: what, message: hint });
    },
    // Somebody else may have liked it meanwhile, or this person in another tab.
    onSettled: () =>
      Promise.all([
        cache.invalidateQueries({ queryKey: ["marks", id] }),
        cache.invalidateQueries({ queryKey: ["soul", id] }),
        cache.invalidateQueries({ queryKey: ["souls"], refetchType: "none" }),
      ]),
  });
  const shownCount = like_count.toLocaleString("en");
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
