import { isIPv6, type LookupFunction } from "node:net";

interface FakeResolver {
  lookup: LookupFunction;
  /** The host names of all lookups so far, in order. */
  names: string[];
}

/**
 * Creates a fake DNS resolver. Each lookup returns the next list of addresses. Lookups after the
 * last list return the last list again.
 */
export function fakeResolver(...results: string[][]): FakeResolver {
  const names: string[] = [];
  const lookup: LookupFunction = (name, options, callback) => {
    const found = results[Math.min(names.length, results.length - 1)] ?? [];
    names.push(name);
    const all = found.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
    const [first] = all;
    setImmediate(() => {
      if (options.all) callback(null, all);
      else if (first) callback(null, first.address, first.family);
      else callback(new Error("The name has no address."), "", 0);
    });
  };
  return { lookup, names };
}
