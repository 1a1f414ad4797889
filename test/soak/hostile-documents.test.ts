import { hostileDocuments } from "../fixtures/hostile-documents.ts";
import { describeHostileDocuments } from "../integration/sandbox/hostile-documents.scenario.ts";

describeHostileDocuments({ seconds: 30, read: hostileDocuments.map(({ name }) => name) });
