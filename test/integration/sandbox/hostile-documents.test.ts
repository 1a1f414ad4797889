import { describeHostileDocuments } from "./hostile-documents.scenario.ts";

describeHostileDocuments({ seconds: 1, read: ["one text of 50 MB", "a million nested elements"] });
