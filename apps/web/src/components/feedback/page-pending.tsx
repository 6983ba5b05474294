import { Skeleton } from "@mantine/core";

/** A skeleton, shown while the code or the account of a page loads. */
export function PagePending() {
  return (
    <div className="page" aria-busy="true">
      <Skeleton height={40} width="min(60%, 24rem)" mb="lg" />
      <Skeleton height={16} width="80%" mb="sm" />
      <Skeleton height={16} width="70%" mb="sm" />
      <Skeleton height={16} width="75%" />
    </div>
  );
}
