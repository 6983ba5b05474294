import { median } from "../median.ts";

const ROUNDS = 5;

/**
 * Takes the samples of the contenders in turn (A B C, A B C, …). A disturbance of the machine then
 * affects all contenders.
 */
export async function interleave<Contender, Sample>(
  contenders: Contender[],
  takeSample: (contender: Contender) => Promise<Sample>,
): Promise<Map<Contender, Sample[]>> {
  const samples = new Map(contenders.map((each) => [each, [] as Sample[]]));
  for (let round = 0; round < ROUNDS; round++) {
    for (const each of contenders) samples.get(each)?.push(await takeSample(each));
  }
  return samples;
}

/** Returns the median of `read` over each contender's samples, by the name of the contender. */
export const mediansOf = <Sample>(
  samples: Map<{ name: string }, Sample[]>,
  read: (sample: Sample) => number,
): Map<string, number> =>
  new Map([...samples].map(([{ name }, taken]) => [name, median(taken.map(read))]));
