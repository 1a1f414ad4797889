import { hostileDocuments, moreHostileDocuments } from "../fixtures/hostile-documents.ts";
import { describeHostileDocuments } from "../integration/sandbox/hostile-documents.scenario.ts";

const documents = [...hostileDocuments, ...moreHostileDocuments];
// An email is recognized by its name, and `advance` reads files without one.
const read = documents.filter(({ kind }) => kind !== "eml").map(({ name }) => name);
describeHostileDocuments({ seconds: 30, documents, read });
