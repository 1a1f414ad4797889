import { hostileDocuments } from "../../fixtures/hostile-documents.ts";
import { describeHostileDocuments } from "./hostile-documents.scenario.ts";

const read = ["one text of 50 MB", "a million nested elements"];
describeHostileDocuments({ seconds: 1, documents: hostileDocuments, read });
