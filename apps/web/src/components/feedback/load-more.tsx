import { Button, Center } from "@mantine/core";
import { useIntersection } from "@mantine/hooks";
import { useEffect } from "react";

/** The part of an infinite query that loads its next page. */
interface List {
  fetchNextPage: () => unknown;
  isFetchingNextPage: boolean;
  isFetchNextPageError: boolean;
}

/** The button "Show more". The next page of a list also loads when the user scrolls near it. */
export function LoadMore({ list }: { list: List }) {
  const { fetchNextPage, isFetchingNextPage, isFetchNextPageError } = list;
  const { ref, entry } = useIntersection({ rootMargin: "400px" });
  const isNear = entry?.isIntersecting ?? false;
  useEffect(() => {
    // After a failed load, the next attempt waits for a click.
    if (isNear && !isFetchingNextPage && !isFetchNextPageError) void fetchNextPage();
  }, [isNear, isFetchingNextPage, isFetchNextPageError, fetchNextPage]);
  return (
    <Center mt="xl" ref={ref}>
      <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
        {isFetchNextPageError ? "Loading failed. Try again" : "Show more"}
      </Button>
    </Center>
  );
}
