import { expect, test } from "vitest";
import { cachedConfigurations } from "../../../src/runs/cached-configurations.ts";
import { StoreUnavailable } from "../../../src/errors.ts";

function counted() {
  const stored = new Map<string, string>();
  const counts = { puts: 0, gets: 0 };
  let now = 1_000;
  let available = true;
  const store = cachedConfigurations(
    {
      async put(agentId, { hash, text }) {
        counts.puts++;
        if (!available) throw new StoreUnavailable("away");
        stored.set(agentId + hash, text);
      },
      async get(agentId, hash) {
        counts.gets++;
        return stored.get(agentId + hash);
      },
    },
    { refreshMs: 1_000, now: () => now },
  );
  return {
    ...store,
    counts,
    stored,
    pass: (milliseconds: number) => void (now += milliseconds),
    setAvailable: (value: boolean) => void (available = value),
  };
}

test("a configuration is stored once, and again after the refresh time", async () => {
  const cached = counted();
  const { counts, pass } = cached;
  for (let turn = 1; turn <= 3; turn++) await cached.put("A", { hash: "h", text: "t" });
  await cached.put("B", { hash: "h", text: "t" });
  expect(counts).toEqual({ puts: 2, gets: 0 });
  expect(await cached.get("A", "h")).toBe("t");
  expect(counts.gets).toBe(0);
  pass(999);
  await cached.put("A", { hash: "h", text: "t" });
  expect(counts.puts).toBe(2);
  pass(1);
  await cached.put("A", { hash: "h", text: "t" });
  expect(counts.puts).toBe(3);
});

test("a configuration that was only read is stored when it is used for a new turn", async () => {
  const cached = counted();
  const { counts, stored } = cached;
  stored.set("Ah", "t");
  expect([await cached.get("A", "h"), await cached.get("A", "h"), await cached.get("A", "missing")]).toEqual([
    "t",
    "t",
    undefined,
  ]);
  expect(counts).toEqual({ puts: 0, gets: 2 });
  await cached.put("A", { hash: "h", text: "t" });
  expect(counts.puts).toBe(1);
});

test("a failed write is repeated", async () => {
  const cached = counted();
  const { counts, setAvailable } = cached;
  setAvailable(false);
  await expect(cached.put("A", { hash: "h", text: "t" })).rejects.toThrow("away");
  setAvailable(true);
  await cached.put("A", { hash: "h", text: "t" });
  expect(counts.puts).toBe(2);
});

test("memory is bounded: the least recently used configurations are dropped", async () => {
  const cached = counted();
  const { counts } = cached;
  const text = "x".repeat(3_000_000);
  await cached.put("A", { hash: "1", text });
  await cached.put("A", { hash: "2", text });
  await cached.get("A", "1");
  await cached.put("A", { hash: "3", text });
  await cached.get("A", "1");
  expect(counts.gets).toBe(0);
  await cached.get("A", "2");
  expect(counts.gets).toBe(1);
});
