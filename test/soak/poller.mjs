// Asks a service for a run as long as its parent wants, and tells it what became of the requests: poller.mjs URL KEY
import { get } from "node:http";

const [, , url, key] = process.argv;
const milliseconds = [];
const failures = [];
const parent = { wantsMore: true };
process.once("message", () => (parent.wantsMore = false));

/** Each request opens a connection, as a client's first one does. */
function ask() {
  const start = performance.now();
  const options = { agent: false, headers: { authorization: `Bearer ${key}` }, timeout: 10_000 };
  return new Promise((resolve) => {
    const request = get(url, options, (response) => {
      if (response.statusCode !== 200) failures.push(String(response.statusCode));
      response.resume().once("end", () => {
        milliseconds.push(performance.now() - start);
        resolve();
      });
    });
    request.once("timeout", () => request.destroy(new Error("timeout")));
    request.once("error", ({ message }) => {
      failures.push(message);
      resolve();
    });
  });
}

do {
  await ask();
  await new Promise((resolve) => setTimeout(resolve, 20));
} while (parent.wantsMore);
const sorted = milliseconds.toSorted((a, b) => a - b);
const p99 = Math.round(sorted[Math.floor(sorted.length * 0.99)] ?? 0);
process.send({ answered: sorted.length, failures, p99 });
process.disconnect();
