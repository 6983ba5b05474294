interface Ratings {
  rating_sum: number;
  rating_count: number;
}

/** Two digits after the point; 0 without any rating. */
export const averageRating = ({ rating_sum, rating_count }: Ratings): number =>
  rating_count === 0 ? 0 : Math.round((rating_sum / rating_count) * 100) / 100;
