import { describeLaws } from "./laws.suite.fixture.ts";

describeLaws(1);
