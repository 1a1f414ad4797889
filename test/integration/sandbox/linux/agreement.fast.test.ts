import { describeAgreement } from "./agreement.scenario.ts";
import { everydayScripts } from "./scripts.ts";

await describeAgreement(everydayScripts);
