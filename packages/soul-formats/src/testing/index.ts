/** Files for the tests of other packages. */
export { foreignCard, foreignCharx, foreignPicture } from "../card/cards.fixture.ts";
export { hostileCards } from "../card/hostile-cards.fixture.ts";
export { hostileLargeFiles } from "../hostile-large.fixture.ts";
export { hostileZips, rawZip } from "../zip/raw-zip.fixture.ts";
export { stockZips } from "../zip/stock-zips.fixture.ts";
