import { createHash, randomBytes, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

// The floor: the service's job with bare node:http and node:sqlite. It checks the API key, creates, finishes and reads
// runs, without validation, status rules and recovery. POST /receive only receives a body.

const schema = `
  CREATE TABLE IF NOT EXISTS keys (hash TEXT PRIMARY KEY, agent_id TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS runs (
    id TEXT PRIMARY KEY, agent_id TEXT NOT NULL, name TEXT NOT NULL, status TEXT NOT NULL,
    created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS messages (
    run_id TEXT NOT NULL, turn INTEGER NOT NULL, role TEXT NOT NULL, text TEXT NOT NULL,
    PRIMARY KEY (run_id, turn, role)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS steps (
    run_id TEXT NOT NULL, turn INTEGER NOT NULL, step INTEGER NOT NULL, body TEXT NOT NULL,
    PRIMARY KEY (run_id, turn, step)
  ) STRICT, WITHOUT ROWID;
`;

/** Opens the database with the same durability as the service's. */
function openDatabase(dataDir: string) {
  const db = new DatabaseSync(join(dataDir, "runs.sqlite"));
  db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; ${schema}`);
  const insertRun = db.prepare("INSERT INTO runs VALUES (?, ?, ?, ?, ?, ?)");
  const insertMessage = db.prepare("INSERT INTO messages VALUES (?, ?, ?, ?)");
  const insertStep = db.prepare("INSERT INTO steps VALUES (?, ?, ?, ?)");
  const finishRun = db.prepare("UPDATE runs SET status = 'finished', updated_at = ? WHERE id = ?");
  const insertKey = db.prepare("INSERT INTO keys VALUES (?, ?)");
  const findKey = db.prepare("SELECT agent_id FROM keys WHERE hash = ?");
  const findRun = db.prepare("SELECT agent_id, status FROM runs WHERE id = ?");
  const transcript = db.prepare("SELECT role, text FROM messages WHERE run_id = ? ORDER BY turn, role");
  const begin = db.prepare("BEGIN IMMEDIATE");
  const commit = db.prepare("COMMIT");
  let batch: { write: () => void; done: () => void }[] = [];

  function flush(): void {
    const writes = batch;
    batch = [];
    begin.run();
    for (const { write } of writes) write();
    commit.run();
    for (const { done } of writes) done();
  }

  return {
    /** Calls `done` when `write` is on disk. All writes of one tick share a transaction. */
    write(write: () => void, done: () => void): void {
      if (batch.push({ write, done }) === 1) setImmediate(flush);
    },
    addRun(id: string, agentId: string, name: string, status: string, texts: string[]): void {
      insertRun.run(id, agentId, name, status, Date.now(), Date.now());
      for (const [index, text] of texts.entries()) {
        insertMessage.run(id, (index >> 1) + 1, index % 2 === 0 ? "input_to_agent" : "output_from_agent", text);
      }
    },
    finish(id: string, output: string): void {
      insertStep.run(id, 1, 1, JSON.stringify({ turn: 1, step: 1, part: "answer", answer: { text: output } }));
      insertMessage.run(id, 1, "output_from_agent", output);
      finishRun.run(Date.now(), id);
    },
    addKey: (hash: string, agentId: string) => insertKey.run(hash, agentId),
    agentOf: (hash: string) => findKey.get(hash)?.["agent_id"],
    find: (id: string) => findRun.get(id),
    transcript: (id: string) => transcript.all(id),
    close: () => db.close(),
  };
}

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

/** Adds a finished run with these texts (input, output, input, …) to the floor's database. */
export function seedFloor(dataDir: string, id: string, agentId: string, texts: string[]): void {
  const db = openDatabase(dataDir);
  db.addRun(id, agentId, "seeded", "finished", texts);
  db.close();
}

function answer(response: ServerResponse, status: number, body: unknown): void {
  const text = JSON.stringify(body);
  response.writeHead(status, { "content-type": "application/json", "content-length": Buffer.byteLength(text) });
  response.end(text);
}

function receive(request: IncomingMessage, received: (body: Buffer) => void): void {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => received(Buffer.concat(chunks)));
}

function serve(dataDir: string, agentId: string): void {
  const db = openDatabase(dataDir);
  const key = `ak_${randomBytes(32).toString("hex")}`;
  db.addKey(sha256(key), agentId);

  const server = createServer((request, response) => {
    if (request.url === "/receive") return receive(request, () => answer(response, 201, {}));
    const caller = db.agentOf(sha256(request.headers.authorization?.slice("Bearer ".length) ?? ""));
    if (caller === undefined) return answer(response, 401, { detail: "Invalid API key" });

    if (request.method === "GET") {
      const id = request.url?.slice("/v1/agents/".length) ?? "";
      const run = db.find(id);
      if (run?.["agent_id"] !== caller) return answer(response, 404, { detail: "Agent not found" });
      return answer(response, 200, { agent_id: id, loop_status: run["status"], transcript: db.transcript(id) });
    }

    receive(request, (body) => {
      const { name, input_text } = JSON.parse(body.toString()) as { name: string; input_text: string };
      const id = randomUUID();
      db.write(
        () => db.addRun(id, agentId, name, "running", [input_text]),
        () => {
          answer(response, 201, { agent_id: id });
          db.write(
            () => db.finish(id, `The floor's answer to: ${input_text}`),
            () => {},
          );
        },
      );
    });
  });
  server.listen(0, "127.0.0.1", () => {
    const base_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    console.log(JSON.stringify({ base_url, api_key: key, template_id: agentId }));
  });
}

const [dataDir, agentId] = process.argv.slice(2);
if (import.meta.main && dataDir && agentId) serve(dataDir, agentId);
