import dns from "node:dns";
import { syncBuiltinESMExports } from "node:module";
import { isIP, Socket } from "node:net";
import { afterEach } from "vitest";
import { isLoopbackAddress } from "../../src/net/public-ip.ts";

/*
 * Tests connect to this machine only: a test of another address replaces resolver and connector. A socket that is about to
 * connect elsewhere, or a name that is about to be looked up, is refused and fails the test.
 */

// Files of tests that share a process share Node's modules, and so the functions that are replaced here.
const shared = globalThis as { hostsBeyondLoopback?: string[] };
const isFirst = shared.hostsBeyondLoopback === undefined;
const attempts = (shared.hostsBeyondLoopback ??= []);

/** Why a host may not be connected to. Undefined: it may. */
function refusal(host: string): Error | undefined {
  if (isIP(host) === 0 ? /(^|\.)localhost$/.test(host) : isLoopbackAddress(host)) return undefined;
  attempts.push(host);
  return new Error(`a test may not connect to ${host}: only to loopback addresses`);
}

interface Target {
  host?: string;
  path?: string;
  lookup?: unknown;
}

/** The target of `connect`, whose arguments are a path, a port with a host, options, or Node's own array of those. */
function targetOf([first, second]: unknown[]): Target {
  if (Array.isArray(first)) return targetOf(first);
  if (typeof first === "object" && first !== null) return first;
  return typeof second === "string" ? { host: second } : {};
}

if (isFirst) {
  // oxlint-disable-next-line typescript/unbound-method -- it is called with the socket
  const connect = Socket.prototype.connect as (...args: unknown[]) => Socket;
  Socket.prototype.connect = function (this: Socket, ...args: unknown[]): Socket {
    const { host = "localhost", path, lookup } = targetOf(args);
    // A name with its own resolver is checked when that has found the addresses.
    const isChecked = path !== undefined || (lookup !== undefined && isIP(host) === 0);
    const error = isChecked ? undefined : refusal(host);
    if (error) return this.destroy(error);
    this.prependListener("lookup", (_error, address) => {
      const refused = address ? refusal(address) : undefined;
      if (refused) this.destroy(refused);
    });
    return connect.apply(this, args);
  };
  const lookup = dns.lookup as (...args: unknown[]) => void;
  dns.lookup = ((host: string, ...more: unknown[]) => {
    const error = refusal(host);
    if (!error) return lookup(host, ...more);
    const callback = more.at(-1) as (error: Error) => void;
    process.nextTick(callback, error);
  }) as typeof dns.lookup;
  syncBuiltinESMExports();
}

afterEach(() => {
  const hosts = attempts.splice(0);
  if (hosts.length > 0) throw new Error(`the test tried to reach hosts beyond loopback: ${hosts.join(", ")}`);
});
