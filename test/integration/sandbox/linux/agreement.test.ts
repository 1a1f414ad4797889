import { describeAgreement } from "./agreement.scenario.ts";
import { scripts } from "./scripts.ts";

await describeAgreement(scripts);
