-- Written at commit 8af5fd9 (schema 4) and killed with SIGKILL while a turn was in progress.
BEGIN TRANSACTION;
CREATE TABLE agent_versions (
    agent_id TEXT NOT NULL, version INTEGER NOT NULL, created_at INTEGER NOT NULL, hash TEXT NOT NULL,
    body TEXT NOT NULL, PRIMARY KEY (agent_id, version)
  ) STRICT, WITHOUT ROWID;
INSERT INTO "agent_versions" VALUES('e018c817-5471-4873-b036-9e36015e4b78',1,1795355208423,'53adb86696384c2f579130f9938fcc95e92568f8b8e653a20dd7955cfdfa8a86','{"name":"Starter agent","instructions":"Answer the input. Files that came with it are in your workspace: read them before you answer. Compute numbers with run_javascript.","tools":["list_files","read_file","write_file","edit_file","search_files","run_javascript"],"limits":{"steps":50,"tokens":500000,"seconds":1800}}');
CREATE TABLE agents (id TEXT PRIMARY KEY, organization_id TEXT NOT NULL, body TEXT NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO "agents" VALUES('e018c817-5471-4873-b036-9e36015e4b78','32f3050b-4905-42a2-a36d-b27733f7459b','{"name":"Starter agent","instructions":"Answer the input. Files that came with it are in your workspace: read them before you answer. Compute numbers with run_javascript.","tools":["list_files","read_file","write_file","edit_file","search_files","run_javascript"],"limits":{"steps":50,"tokens":500000,"seconds":1800},"id":"e018c817-5471-4873-b036-9e36015e4b78","organizationId":"32f3050b-4905-42a2-a36d-b27733f7459b","status":"active","version":1,"createdAt":1795355208423,"updatedAt":1795355208423}');
CREATE TABLE audit (seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, body TEXT NOT NULL) STRICT;
INSERT INTO "audit" VALUES(1,1795355208406,'{"at":1795355208406,"actor":"npm start","action":"org.create","id":"32f3050b-4905-42a2-a36d-b27733f7459b"}');
INSERT INTO "audit" VALUES(2,1795355208423,'{"at":1795355208423,"actor":"npm start","action":"agent.create","id":"e018c817-5471-4873-b036-9e36015e4b78","version":1}');
INSERT INTO "audit" VALUES(3,1795355208428,'{"at":1795355208428,"actor":"npm start","action":"key.create","id":"ca6b64f71e218115d7e0ac47f39010520a4f567b740cd1fe45d2b384ae9042d8"}');
INSERT INTO "audit" VALUES(4,1795355208429,'{"at":1795355208429,"actor":"npm start","action":"operator.create","id":"ee44ea5c-3c12-4856-bed3-c66d8c7fb346"}');
CREATE TABLE configurations (
    agent_id TEXT NOT NULL, hash TEXT NOT NULL, body TEXT NOT NULL, PRIMARY KEY (agent_id, hash)
  ) STRICT, WITHOUT ROWID;
INSERT INTO "configurations" VALUES('e018c817-5471-4873-b036-9e36015e4b78','9027953cdd1ca2c0c2c6c5b6db372fb5a242fa3dc47db5111a0877742f87aeb9','{"settings":{"agent":{"instructions":"Answer the input. Files that came with it are in your workspace: read them before you answer. Compute numbers with run_javascript.","limits":{"seconds":1800,"steps":50,"tokens":500000},"name":"Starter agent","tools":["list_files","read_file","write_file","edit_file","search_files","run_javascript"]},"provider":{"enabled":true,"provider":"demo"}},"offered":[{"name":"list_files","description":"List the files of the workspace with their sizes in bytes.","input":{"type":"object","properties":{},"additionalProperties":false}},{"name":"read_file","description":"Read a file of the workspace. Text files are returned by lines, and so is the text of documents: PDF, Word (DOCX), Excel (XLSX: each sheet as a table, with formulas behind the values), PowerPoint (PPTX, with notes), OpenDocument (ODT, ODS, ODP), RTF and email (EML). For a ZIP archive, the members are listed. The first line of the result says which lines follow. A note at the end says how to continue. At most 20000 characters are returned. Images, and PDFs without text, are attached.","input":{"type":"object","properties":{"name":{"type":"string","description":"File name, as returned by list_files."},"offset":{"type":"integer","minimum":1,"description":"First line to read, counted from 1. Default: 1."},"limit":{"type":"integer","minimum":1,"description":"Maximum number of lines. Default: 500."},"column":{"type":"integer","minimum":1,"description":"First character of the first line, counted from 1. Only for very long lines. Default: 1."},"part":{"type":"string","description":"Part of a document to read: a sheet or its cells (Sales, or Sales!A1:F200), pages or slides (3, or 3-5), a member of a ZIP archive or an attachment of an email (its name as listed). Default: all of it."},"encoding":{"type":"string","description":"Read the file as plain text in this encoding, such as windows-1251. Only when characters look wrong, and not with part. Default: detected. If the encoding is a guess, the result names it."}},"required":["name"],"additionalProperties":false}},{"name":"write_file","description":"Write a text file to the workspace. Replaces a file of the same name.","input":{"type":"object","properties":{"name":{"type":"string","description":"File name, without folders or a leading dot."},"content":{"type":"string","description":"Complete text of the file, at most 1048576 bytes of UTF-8."}},"required":["name","content"],"additionalProperties":false}},{"name":"edit_file","description":"Replace a part of a text file of the workspace. The rest of the file does not change.","input":{"type":"object","properties":{"name":{"type":"string","description":"File name, as returned by list_files."},"old_text":{"type":"string","description":"Text to replace, exactly as in the file. It must occur once, unless all is true."},"new_text":{"type":"string","description":"Replacement. Empty: old_text is removed."},"all":{"type":"boolean","description":"Replace every occurrence of old_text. Default: false."}},"required":["name","old_text","new_text"],"additionalProperties":false}},{"name":"search_files","description":"Find the lines of the workspace''s text files that match a regular expression. Returned as file:line: text, at most 100 lines. Lines of more than 16384 characters are searched in parts of that size.","input":{"type":"object","properties":{"pattern":{"type":"string","description":"Regular expression in RE2 syntax, matched against each line. Lookahead, lookbehind and backreferences are not supported."},"glob":{"type":"string","description":"Search only files whose names match, such as *.csv or report-?.{md,txt}. Default: *."},"ignore_case":{"type":"boolean","description":"Ignore case. Default: false."}},"required":["pattern"],"additionalProperties":false}},{"name":"run_javascript","description":"Run a JavaScript program on the workspace''s files. Returns what it prints with console.log and the value of its last expression. ES2024, with await at the top level. Functions, all synchronous: readFile(name) returns a string, readBytes(name) a Uint8Array, listFiles() [{name, size}]; writeFile(name, textOrBytes) writes a file; parseCsv(text, separator) returns one object per row, with the names of the first row and string values. It has TextDecoder, TextEncoder, URL, URLSearchParams, structuredClone, atob, btoa, Intl.NumberFormat and Intl.DateTimeFormat. No modules, no timers, no crypto, no other parts of Intl, 256 MB of memory. Files that the program writes are saved to the workspace: at most 50, names without folders. At most 100000 characters that it prints are returned. There is no network. State other than files is not kept between calls.","input":{"type":"object","properties":{"code":{"type":"string","description":"JavaScript program."},"files":{"type":"array","items":{"type":"string"},"description":"Names of the workspace files that the program needs. Default: all files. At most 33554432 bytes together."},"seconds":{"type":"integer","minimum":1,"maximum":60,"description":"Time limit of the program in seconds. Default: 30."}},"required":["code"],"additionalProperties":false}}]}');
CREATE TABLE files (run INTEGER PRIMARY KEY, uploads TEXT, current TEXT) STRICT;
INSERT INTO "files" VALUES(1,'[{"name":"notes.txt","size":25,"sha256":"f5a93e36e7b064cc9dbd1cd20f1d9985c6dc8ed277644535db7dc56304ff0a9e"}]',NULL);
CREATE TABLE journal (
    run INTEGER NOT NULL, turn INTEGER NOT NULL, sequence INTEGER NOT NULL, at INTEGER, body TEXT NOT NULL,
    PRIMARY KEY (run, turn, sequence)
  ) STRICT, WITHOUT ROWID;
INSERT INTO "journal" VALUES(1,1,2,1795355208448,'{"turn":1,"part":"answer","step":1,"answer":{"text":"","toolCalls":[{"id":"demo-1-1","name":"list_files","input":{}}],"finishReason":"tool-calls","usage":{"inputTokens":67,"outputTokens":13}},"milliseconds":0,"model":"demo","note":"Files in the workspace:\nnotes.txt (25 bytes)","configuration":"9027953cdd1ca2c0c2c6c5b6db372fb5a242fa3dc47db5111a0877742f87aeb9","agentVersion":1}');
INSERT INTO "journal" VALUES(1,1,3,1795355208450,'{"turn":1,"part":"result","step":1,"call":0,"result":{"callId":"demo-1-1","name":"list_files","text":"notes.txt (25 bytes)"},"milliseconds":0}');
INSERT INTO "journal" VALUES(1,1,4,1795355208451,'{"turn":1,"part":"answer","step":2,"answer":{"text":"","toolCalls":[{"id":"demo-2-1","name":"read_file","input":{"name":"notes.txt","limit":500}}],"finishReason":"tool-calls","usage":{"inputTokens":118,"outputTokens":20}},"milliseconds":0,"model":"demo"}');
INSERT INTO "journal" VALUES(1,1,5,1795355208452,'{"turn":1,"part":"result","step":2,"call":0,"result":{"callId":"demo-2-1","name":"read_file","text":"notes.txt: lines 1 to 2 of 2\nFirst line.\nSecond line."},"milliseconds":1}');
INSERT INTO "journal" VALUES(1,1,6,1795355208453,'{"turn":1,"part":"answer","step":3,"answer":{"text":"The input has 20 characters and 5 words: \"What is in the file?\"\n\nThe workspace has 1 file:\nnotes.txt (25 bytes)\n\nnotes.txt: 2 lines, 4 words. It begins:\n> First line.\n> Second line.\n\nI took 2 steps with tools before this answer.\n\nThis is the demo model: it calls no provider and does not understand the input. For real answers, set a model: npm run -s admin -- org set-model --help, or start with npm start -- --model openai-compatible --model-base-url URL --model-name NAME.","toolCalls":[],"finishReason":"stop","usage":{"inputTokens":185,"outputTokens":120}},"milliseconds":0,"model":"demo"}');
INSERT INTO "journal" VALUES(2,1,2,1795355209103,'{"turn":1,"part":"answer","step":1,"answer":{"text":"","toolCalls":[{"id":"demo-1-1","name":"write_file","input":{"name":"demo-scratch.txt","content":"Step 1 of 4.\n"}}],"finishReason":"tool-calls","usage":{"inputTokens":47,"outputTokens":26}},"milliseconds":601,"model":"demo","configuration":"9027953cdd1ca2c0c2c6c5b6db372fb5a242fa3dc47db5111a0877742f87aeb9","agentVersion":1}');
INSERT INTO "journal" VALUES(2,1,3,1795355209106,'{"turn":1,"part":"result","step":1,"call":0,"result":{"callId":"demo-1-1","name":"write_file","text":"Wrote demo-scratch.txt (13 bytes)."},"milliseconds":1,"files":[{"name":"demo-scratch.txt","size":13,"sha256":"81ea9b66efa8c15cd6111d2400d926c2b3b2b473733cbd8c4cc2c8f023dcf001"}],"manifest":"1bea7f4eda70554a2b031eb213788b7c80349836852e6cb4019626446ee6418e"}');
INSERT INTO "journal" VALUES(2,1,4,1795355209707,'{"turn":1,"part":"answer","step":2,"answer":{"text":"","toolCalls":[{"id":"demo-2-1","name":"read_file","input":{"name":"demo-scratch.txt"}}],"finishReason":"tool-calls","usage":{"inputTokens":114,"outputTokens":19}},"milliseconds":601,"model":"demo"}');
INSERT INTO "journal" VALUES(2,1,5,1795355209708,'{"turn":1,"part":"result","step":2,"call":0,"result":{"callId":"demo-2-1","name":"read_file","text":"demo-scratch.txt: lines 1 to 1 of 1\nStep 1 of 4."},"milliseconds":0}');
CREATE TABLE keys (hash TEXT PRIMARY KEY, agent_id TEXT NOT NULL, body TEXT NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO "keys" VALUES('ca6b64f71e218115d7e0ac47f39010520a4f567b740cd1fe45d2b384ae9042d8','e018c817-5471-4873-b036-9e36015e4b78','{"hash":"ca6b64f71e218115d7e0ac47f39010520a4f567b740cd1fe45d2b384ae9042d8","hint":"ak_FxOwkk","agentId":"e018c817-5471-4873-b036-9e36015e4b78","organizationId":"32f3050b-4905-42a2-a36d-b27733f7459b","enabled":true,"createdAt":1795355208428,"lastUsedAt":1795355208438.0}');
CREATE TABLE messages (
    run INTEGER NOT NULL, sequence INTEGER NOT NULL, at INTEGER, turn INTEGER NOT NULL, role TEXT NOT NULL,
    text TEXT NOT NULL, agent_version INTEGER, PRIMARY KEY (run, sequence)
  ) STRICT, WITHOUT ROWID;
INSERT INTO "messages" VALUES(1,1,1795355208439,1,'input_to_agent','What is in the file?',1);
INSERT INTO "messages" VALUES(1,7,1795355208453,1,'output_from_agent','The input has 20 characters and 5 words: "What is in the file?"

The workspace has 1 file:
notes.txt (25 bytes)

notes.txt: 2 lines, 4 words. It begins:
> First line.
> Second line.

I took 2 steps with tools before this answer.

This is the demo model: it calls no provider and does not understand the input. For real answers, set a model: npm run -s admin -- org set-model --help, or start with npm start -- --model openai-compatible --model-base-url URL --model-name NAME.',NULL);
INSERT INTO "messages" VALUES(2,1,1795355208501,1,'input_to_agent','demo: steps=4 delay=600',1);
CREATE TABLE operators (hash TEXT PRIMARY KEY, body TEXT NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO "operators" VALUES('a26913fce6fd7b031669176b721c4b289abf935a65b9455e62a813216938ff2a','{"id":"ee44ea5c-3c12-4856-bed3-c66d8c7fb346","hash":"a26913fce6fd7b031669176b721c4b289abf935a65b9455e62a813216938ff2a","hint":"ao_iY3mOe","name":"npm start","role":"operator","enabled":true,"createdAt":1795355208429}');
CREATE TABLE organizations (id TEXT PRIMARY KEY, body TEXT NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO "organizations" VALUES('32f3050b-4905-42a2-a36d-b27733f7459b','{"id":"32f3050b-4905-42a2-a36d-b27733f7459b","name":"Local","model":{"provider":"demo","enabled":true},"createdAt":1795355208406,"updatedAt":1795355208406}');
CREATE TABLE queue (
    run INTEGER NOT NULL, turn INTEGER NOT NULL, text TEXT NOT NULL, PRIMARY KEY (run, turn)
  ) STRICT, WITHOUT ROWID;
CREATE TABLE runs (
    seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, agent_id TEXT NOT NULL, organization_id TEXT NOT NULL,
    name TEXT NOT NULL, status TEXT NOT NULL, turn INTEGER NOT NULL, created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL, failure TEXT, queued INTEGER NOT NULL DEFAULT 0, used TEXT,
    sequence INTEGER NOT NULL DEFAULT 0, quota_of TEXT, waiting INTEGER, model TEXT
  ) STRICT;
INSERT INTO "runs" VALUES(1,'82d329be-5de4-4ff9-a140-033ab39568a2','e018c817-5471-4873-b036-9e36015e4b78','32f3050b-4905-42a2-a36d-b27733f7459b','Run with a file','finished',1,1795355208439,1795355208453,NULL,0,'{"steps":3,"inputTokens":370,"outputTokens":153,"cachedInputTokens":0,"cacheWriteInputTokens":0,"reasoningTokens":0,"milliseconds":14,"dollars":0}',7,NULL,NULL,'demo');
INSERT INTO "runs" VALUES(2,'9c852bfc-4281-434a-924a-8bc5fcd361e6','e018c817-5471-4873-b036-9e36015e4b78','32f3050b-4905-42a2-a36d-b27733f7459b','Killed run','running',1,1795355208501,1795355208501,NULL,0,'{"steps":2,"inputTokens":161,"outputTokens":45,"cachedInputTokens":0,"cacheWriteInputTokens":0,"reasoningTokens":0,"milliseconds":0,"dollars":0}',5,NULL,NULL,'demo');
CREATE TABLE spent (
    owner TEXT NOT NULL, day TEXT NOT NULL, dollars REAL NOT NULL, PRIMARY KEY (owner, day)
  ) STRICT, WITHOUT ROWID;
CREATE TABLE summaries (run INTEGER PRIMARY KEY, through_turn INTEGER NOT NULL, text TEXT NOT NULL) STRICT;
CREATE INDEX keys_by_agent ON keys (agent_id);
CREATE INDEX runs_by_agent ON runs (agent_id, created_at);
CREATE INDEX runs_running ON runs (seq) WHERE status = 'running';
CREATE INDEX audit_by_time ON audit (at);
CREATE INDEX runs_of_quotas ON runs (organization_id, agent_id, waiting, quota_of) WHERE status = 'running' AND
    (quota_of IS NOT NULL OR waiting IS NOT NULL);
COMMIT;
PRAGMA user_version = 4;
