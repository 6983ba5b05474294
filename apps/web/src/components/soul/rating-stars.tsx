import { VisuallyHidden } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useId, useState } from "react";
import { hub } from "../../hub.ts";
import { invalidate, marksOf, queryClient, type Soul, soulById } from "../../queries.ts";
import { toastFailure } from "../feedback/toasts.tsx";
import { StarIcon } from "../icons.tsx";

const STARS = [1, 2, 3, 4, 5];

/** The member's rating: five radio buttons drawn as stars. */
export function RatingStars({ soul: { id }, mine }: { soul: Soul; mine: number | null }) {
  const [pointed, setPointed] = useState<number>();
  const name = useId();
  const rate = useMutation({
    mutationFn: (rating: number) => hub.social.rate.mutate({ soul_id: id, rating }),
    onMutate: (rating) => {
      queryClient.setQueryData(marksOf(id).queryKey, (marks) => marks && { ...marks, rating });
    },
    onSuccess: ({ avg_rating, total_ratings }) => {
      queryClient.setQueryData(
        soulById(id).queryKey,
        (soul) => soul && { ...soul, data: { ...soul.data, avg_rating, total_ratings } },
      );
    },
    onError: (error) => {
      void invalidate(["marks", id]);
      toastFailure(error);
    },
  });
  const shown = pointed ?? mine ?? 0;
  return (
    <fieldset className="row small rating">
      <legend>Your rating</legend>
      <span style={{ display: "inline-flex" }} onPointerLeave={() => setPointed(undefined)}>
        {STARS.map((star) => (
          <label key={star} data-on={star <= shown} onPointerEnter={() => setPointed(star)}>
            <input
              className="hidden-input"
              type="radio"
              name={name}
              value={star}
              checked={mine === star}
              onChange={() => rate.mutate(star)}
            />
            <StarIcon size={22} />
            <VisuallyHidden>{star === 1 ? "1 star" : `${star} stars`}</VisuallyHidden>
          </label>
        ))}
      </span>
    </fieldset>
  );
}
