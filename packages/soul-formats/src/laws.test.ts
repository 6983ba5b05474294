import { testLaws } from "./laws.suite.fixture.ts";

testLaws(1);
