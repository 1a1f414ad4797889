-- Written by version 0.1 at commit 7b8a831 (schema 2) and killed with SIGKILL while a turn was in progress.
BEGIN TRANSACTION;
CREATE TABLE agents (id TEXT PRIMARY KEY, organization_id TEXT NOT NULL, body TEXT NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO "agents" VALUES('167b2464-599b-4a98-b05e-2f849a11f138','55762cc1-2a10-42f1-8a51-c41bf5a9f8f4','{"id":"167b2464-599b-4a98-b05e-2f849a11f138","organizationId":"55762cc1-2a10-42f1-8a51-c41bf5a9f8f4","name":"Starter agent","instructions":"Answer the input. Files that came with it are in your workspace: read them before you answer. Compute numbers with run_javascript.","tools":["list_files","read_file","write_file","edit_file","search_files","run_javascript"],"limits":{"steps":50,"tokens":500000,"seconds":1800},"status":"active"}');
CREATE TABLE keys (hash TEXT PRIMARY KEY, agent_id TEXT NOT NULL, body TEXT NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO "keys" VALUES('0f70ce52a2e9df8a6124d173459d2d356e7e44539a483d49acd2041965151052','167b2464-599b-4a98-b05e-2f849a11f138','{"hash":"0f70ce52a2e9df8a6124d173459d2d356e7e44539a483d49acd2041965151052","hint":"ak_XchWZF","agentId":"167b2464-599b-4a98-b05e-2f849a11f138","organizationId":"55762cc1-2a10-42f1-8a51-c41bf5a9f8f4","enabled":true,"createdAt":1795323830754}');
CREATE TABLE messages (
    run INTEGER NOT NULL, turn INTEGER NOT NULL, role TEXT NOT NULL, text TEXT NOT NULL, PRIMARY KEY (run, turn, role)
  ) STRICT, WITHOUT ROWID;
INSERT INTO "messages" VALUES(1,1,'input_to_agent','Hello there.');
INSERT INTO "messages" VALUES(1,1,'output_from_agent','The input has 12 characters and 2 words: "Hello there."

I looked at no files.

This is the demo model: it calls no provider and does not understand the input. For real answers, set a model: npm run -s admin -- org set-model --help, or start with npm start -- --model openai-compatible --model-base-url URL --model-name NAME.');
INSERT INTO "messages" VALUES(1,2,'input_to_agent','Second input.');
INSERT INTO "messages" VALUES(1,2,'output_from_agent','The input has 13 characters and 2 words: "Second input."

I looked at no files.

This is the demo model: it calls no provider and does not understand the input. For real answers, set a model: npm run -s admin -- org set-model --help, or start with npm start -- --model openai-compatible --model-base-url URL --model-name NAME.');
INSERT INTO "messages" VALUES(2,1,'input_to_agent','What is in the file?');
INSERT INTO "messages" VALUES(2,1,'output_from_agent','The input has 20 characters and 5 words: "What is in the file?"

The workspace has 1 file:
notes.txt (25 bytes)

notes.txt: 2 lines, 4 words. It begins:
> First line.
> Second line.

I took 2 steps with tools before this answer.

This is the demo model: it calls no provider and does not understand the input. For real answers, set a model: npm run -s admin -- org set-model --help, or start with npm start -- --model openai-compatible --model-base-url URL --model-name NAME.');
INSERT INTO "messages" VALUES(3,1,'input_to_agent','Take your time.
demo: steps=6 delay=600');
CREATE TABLE organizations (id TEXT PRIMARY KEY, body TEXT NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO "organizations" VALUES('55762cc1-2a10-42f1-8a51-c41bf5a9f8f4','{"id":"55762cc1-2a10-42f1-8a51-c41bf5a9f8f4","name":"Local","model":{"provider":"demo","enabled":true}}');
CREATE TABLE queue (
    run INTEGER NOT NULL, turn INTEGER NOT NULL, text TEXT NOT NULL, PRIMARY KEY (run, turn)
  ) STRICT, WITHOUT ROWID;
INSERT INTO "queue" VALUES(3,2,'Queued input.');
CREATE TABLE runs (
    seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, agent_id TEXT NOT NULL, organization_id TEXT NOT NULL,
    name TEXT NOT NULL, status TEXT NOT NULL, turn INTEGER NOT NULL, created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL, failure TEXT, queued INTEGER NOT NULL DEFAULT 0, used TEXT
  ) STRICT;
INSERT INTO "runs" VALUES(1,'415e58ca-81fd-458b-bb44-0b10ce11f51e','167b2464-599b-4a98-b05e-2f849a11f138','55762cc1-2a10-42f1-8a51-c41bf5a9f8f4','Finished run','finished',2,1795323833261,1795323834276,NULL,0,'{"steps":2,"inputTokens":195,"outputTokens":164,"cachedInputTokens":0,"cacheWriteInputTokens":0,"reasoningTokens":0,"milliseconds":228,"dollars":0}');
INSERT INTO "runs" VALUES(2,'86fb92d8-f660-4d8b-a1a6-bc65f4ed031b','167b2464-599b-4a98-b05e-2f849a11f138','55762cc1-2a10-42f1-8a51-c41bf5a9f8f4','Run with a file','finished',1,1795323833286,1795323833316,NULL,0,'{"steps":3,"inputTokens":370,"outputTokens":153,"cachedInputTokens":0,"cacheWriteInputTokens":0,"reasoningTokens":0,"milliseconds":30,"dollars":0}');
INSERT INTO "runs" VALUES(3,'041a37be-b797-4806-b9d6-fc99a540ab21','167b2464-599b-4a98-b05e-2f849a11f138','55762cc1-2a10-42f1-8a51-c41bf5a9f8f4','Running run','running',1,1795323833371,1795323833371,NULL,1,'{"steps":2,"inputTokens":193,"outputTokens":33,"cachedInputTokens":0,"cacheWriteInputTokens":0,"reasoningTokens":0,"milliseconds":0,"dollars":0}');
CREATE TABLE steps (
    run INTEGER NOT NULL, turn INTEGER NOT NULL, step INTEGER NOT NULL, part TEXT NOT NULL, call INTEGER NOT NULL,
    body TEXT NOT NULL, PRIMARY KEY (run, turn, step, part, call)
  ) STRICT, WITHOUT ROWID;
INSERT INTO "steps" VALUES(1,1,1,'answer',0,'{"turn":1,"part":"answer","step":1,"answer":{"text":"The input has 12 characters and 2 words: \"Hello there.\"\n\nI looked at no files.\n\nThis is the demo model: it calls no provider and does not understand the input. For real answers, set a model: npm run -s admin -- org set-model --help, or start with npm start -- --model openai-compatible --model-base-url URL --model-name NAME.","toolCalls":[],"finishReason":"stop","usage":{"inputTokens":44,"outputTokens":82}},"milliseconds":5,"model":"demo"}');
INSERT INTO "steps" VALUES(1,2,1,'answer',0,'{"turn":2,"part":"answer","step":1,"answer":{"text":"The input has 13 characters and 2 words: \"Second input.\"\n\nI looked at no files.\n\nThis is the demo model: it calls no provider and does not understand the input. For real answers, set a model: npm run -s admin -- org set-model --help, or start with npm start -- --model openai-compatible --model-base-url URL --model-name NAME.","toolCalls":[],"finishReason":"stop","usage":{"inputTokens":151,"outputTokens":82}},"milliseconds":0,"model":"demo"}');
INSERT INTO "steps" VALUES(2,1,1,'answer',0,'{"turn":1,"part":"answer","step":1,"answer":{"text":"","toolCalls":[{"id":"demo-1-1","name":"list_files","input":{}}],"finishReason":"tool-calls","usage":{"inputTokens":67,"outputTokens":13}},"milliseconds":1,"model":"demo","note":"Files in the workspace:\nnotes.txt (25 bytes)"}');
INSERT INTO "steps" VALUES(2,1,1,'result',0,'{"turn":1,"part":"result","step":1,"call":0,"result":{"callId":"demo-1-1","name":"list_files","text":"notes.txt (25 bytes)"},"milliseconds":3}');
INSERT INTO "steps" VALUES(2,1,2,'answer',0,'{"turn":1,"part":"answer","step":2,"answer":{"text":"","toolCalls":[{"id":"demo-2-1","name":"read_file","input":{"name":"notes.txt","limit":500}}],"finishReason":"tool-calls","usage":{"inputTokens":118,"outputTokens":20}},"milliseconds":0,"model":"demo"}');
INSERT INTO "steps" VALUES(2,1,2,'result',0,'{"turn":1,"part":"result","step":2,"call":0,"result":{"callId":"demo-2-1","name":"read_file","text":"notes.txt: lines 1 to 2 of 2\nFirst line.\nSecond line."},"milliseconds":3}');
INSERT INTO "steps" VALUES(2,1,3,'answer',0,'{"turn":1,"part":"answer","step":3,"answer":{"text":"The input has 20 characters and 5 words: \"What is in the file?\"\n\nThe workspace has 1 file:\nnotes.txt (25 bytes)\n\nnotes.txt: 2 lines, 4 words. It begins:\n> First line.\n> Second line.\n\nI took 2 steps with tools before this answer.\n\nThis is the demo model: it calls no provider and does not understand the input. For real answers, set a model: npm run -s admin -- org set-model --help, or start with npm start -- --model openai-compatible --model-base-url URL --model-name NAME.","toolCalls":[],"finishReason":"stop","usage":{"inputTokens":185,"outputTokens":120}},"milliseconds":0,"model":"demo"}');
INSERT INTO "steps" VALUES(3,1,1,'answer',0,'{"turn":1,"part":"answer","step":1,"answer":{"text":"","toolCalls":[{"id":"demo-1-1","name":"list_files","input":{}}],"finishReason":"tool-calls","usage":{"inputTokens":71,"outputTokens":13}},"milliseconds":603,"model":"demo","note":"Files in the workspace:\nplan.txt (14 bytes)"}');
INSERT INTO "steps" VALUES(3,1,1,'result',0,'{"turn":1,"part":"result","step":1,"call":0,"result":{"callId":"demo-1-1","name":"list_files","text":"plan.txt (14 bytes)"},"milliseconds":1}');
INSERT INTO "steps" VALUES(3,1,2,'answer',0,'{"turn":1,"part":"answer","step":2,"answer":{"text":"","toolCalls":[{"id":"demo-2-1","name":"read_file","input":{"name":"plan.txt","limit":500}}],"finishReason":"tool-calls","usage":{"inputTokens":122,"outputTokens":20}},"milliseconds":601,"model":"demo"}');
INSERT INTO "steps" VALUES(3,1,2,'result',0,'{"turn":1,"part":"result","step":2,"call":0,"result":{"callId":"demo-2-1","name":"read_file","text":"plan.txt: lines 1 to 1 of 1\nStep by step."},"milliseconds":1}');
CREATE TABLE summaries (run INTEGER PRIMARY KEY, through_turn INTEGER NOT NULL, text TEXT NOT NULL) STRICT;
CREATE INDEX keys_by_agent ON keys (agent_id);
CREATE INDEX runs_by_agent ON runs (agent_id, created_at);
CREATE INDEX runs_running ON runs (seq) WHERE status = 'running';
COMMIT;
PRAGMA user_version = 2;
