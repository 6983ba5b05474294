import { Button, Center } from "@mantine/core";
import { useIntersection } from "@mantine/hooks";
import { useEffect } from "react";

interface LoadMoreProps {
  onLoad: () => void;
  isLoading: boolean;
  /** After a failure nothing is loaded until somebody asks. */
  hasFailed: boolean;
}

/** Loads by itself when it comes near; stays a button for the keyboard and after a failure. */
export function LoadMore({ onLoad, isLoading, hasFailed }: LoadMoreProps) {
  const { ref, entry } = useIntersection({ rootMargin: "400px" });
  const isNear = entry?.isIntersecting ?? false;
  useEffect(() => {
    if (isNear && !isLoading && !hasFailed) onLoad();
  }, [isNear, isLoading, hasFailed, onLoad]);
  return (
    <Center mt="xl" ref={ref}>
      <Button variant="default" loading={isLoading} onClick={onLoad}>
        {hasFailed ? "That did not work. Try again" : "Show more"}
      </Button>
    </Center>
  );
}
