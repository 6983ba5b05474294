import { Skeleton } from "@mantine/core";

/** While a page's own code is on its way. */
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
