import "./soul-marks.css";
import { useQuery } from "@tanstack/react-query";
import { marksOf, me, type Soul } from "../../queries.ts";
import { SignInLink } from "../ui/sign-in-link.tsx";
import { ForkButton } from "./fork-button.tsx";
import { LikeButton } from "./like-button.tsx";
import { RatingStars } from "./rating-stars.tsx";

/** Like, fork and rating controls; guests see a link to sign in. */
export function SoulMarks({ soul }: { soul: Soul }) {
  const { data: user } = useQuery(me);
  const { data: marks } = useQuery({ ...marksOf(soul.id), enabled: Boolean(user) });
  if (user === undefined) return <div className="soul-marks--pending" />;
  if (user === null) {
    return (
      <p className="muted">
        <SignInLink /> to like it, rate it or fork it.
      </p>
    );
  }
  return (
    <div className="stack stack--close soul-marks">
      <div className="halves">
        <LikeButton soul={soul} isLiked={marks?.liked ?? false} isKnown={marks !== undefined} />
        {soul.is_public === 1 && !soul.content_hidden && <ForkButton soul={soul} />}
      </div>
      <RatingStars soul={soul} mine={marks?.rating ?? null} />
    </div>
  );
}
