import { Skeleton } from "@mantine/core";

/** Placeholders in the size of cards, so that the layout does not shift. */
export function SoulCardSkeletons({ count = 9 }: { count?: number }) {
  return (
    <ul className="soul-grid" aria-hidden="true">
      {Array.from({ length: count }, (_, index) => `blank-${index}`).map((key) => (
        <li key={key}>
          <div className="panel soul-card">
            <div className="item">
              <Skeleton width={54} height={54} radius={14} />
              <div style={{ flex: 1 }}>
                <Skeleton height={16} width="70%" mb={10} />
                <Skeleton height={11} width="45%" />
              </div>
            </div>
            <div>
              <Skeleton height={12} mb={10} />
              <Skeleton height={12} mb={10} />
              <Skeleton height={12} width="60%" />
            </div>
            <div className="row soul-card__foot">
              <Skeleton height={12} width={120} />
              <Skeleton height={36} width={88} radius="md" />
            </div>
          </div>
        </li>
      ))}
    </ul>
  );
}
