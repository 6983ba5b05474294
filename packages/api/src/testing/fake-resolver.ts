import { isIPv6, type LookupFunction } from "node:net";

interface FakeResolver {
  lookup: LookupFunction;
  /** The names it was asked for, one for each time. */
  asked: string[];
}

/**
 * Stands in for the system's resolver: gives each question the next of the lists of addresses, and
 * from then on the last one.
 */
export function fakeResolver(...answers: string[][]): FakeResolver {
  const asked: string[] = [];
  const lookup: LookupFunction = (name, options, callback) => {
    const found = answers[Math.min(asked.length, answers.length - 1)] ?? [];
    asked.push(name);
    const all = found.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
    const [first] = all;
    setImmediate(() => {
      if (options.all) callback(null, all);
      else if (first) callback(null, first.address, first.family);
      else callback(new Error("no address"), "", 0);
    });
  };
  return { lookup, asked };
}
