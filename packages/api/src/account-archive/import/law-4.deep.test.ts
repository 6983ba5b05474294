import { testLaw4 } from "./law-4.fixture.ts";

testLaw4(80);
