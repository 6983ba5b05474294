import { useRef, useState } from "react";
import { PageFailure } from "../../../failures.ts";
import type { ChosenImage } from "../prepare-image.ts";

/** The image that goes with the next message. */
export function useImageChoice() {
  const [image, setImage] = useState<ChosenImage>();
  const [problem, setProblem] = useState<string>();
  const [isPreparing, setPreparing] = useState(false);
  const latest = useRef(0);

  const put = (chosen: ChosenImage | undefined, newProblem?: string) => {
    latest.current++;
    setPreparing(false);
    setImage(chosen);
    setProblem(newProblem);
  };
  const choose = async (file: File) => {
    const turn = ++latest.current;
    setPreparing(true);
    setProblem(undefined);
    try {
      const { prepareImage } = await import("../prepare-image.ts");
      const chosen = await prepareImage(file);
      if (turn === latest.current) put(chosen);
    } catch (error) {
      if (turn !== latest.current) return;
      put(undefined, error instanceof PageFailure ? error.words.hint : "The file can't be read.");
    }
  };
  return { image, problem, isPreparing, choose, put };
}

/** The first image among pasted or dropped files. */
export const imageIn = (data: DataTransfer | null): File | undefined =>
  [...(data?.files ?? [])].find(({ type }) => type.startsWith("image/"));
