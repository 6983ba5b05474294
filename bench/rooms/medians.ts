const ROUNDS = 5;

const median = (values: number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

/** A B C, A B C, …: what disturbs the machine for a while disturbs all of them. */
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

/** By name of the contender, the median of what `read` finds in its samples. */
export const mediansOf = <Sample>(
  samples: Map<{ name: string }, Sample[]>,
  read: (sample: Sample) => number,
): Map<string, number> =>
  new Map([...samples].map(([{ name }, taken]) => [name, median(taken.map(read))]));
