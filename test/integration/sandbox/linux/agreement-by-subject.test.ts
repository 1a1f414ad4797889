import { describeAgreement } from "./agreement.scenario.ts";
import { subjectScripts } from "./scripts.ts";

await describeAgreement(subjectScripts);
