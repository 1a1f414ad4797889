import type { AddressInfo } from "node:net";
import { networkInterfaces } from "node:os";
import { bracketed } from "../../src/http/server/host-check.ts";

/** The addresses of the service. */
export interface Addresses {
  /** One that this machine can call, such as `http://127.0.0.1:8787`. */
  baseUrl: string;
  /** Where it listens besides: those of this machine in its networks, such as `http://192.168.1.5:8787`. */
  others: string[];
  /** Whether it listens on all addresses of the machine. */
  isWildcard: boolean;
}

/** What to call for the addresses that mean all: nothing answers under these names themselves on every system. */
const callable: Record<string, string> = { "0.0.0.0": "127.0.0.1", "::": "::1" };

/** `host`: as it was asked for. `bound`: where the server listens; `0`, `::0` and `::` are the same there. */
export function addressesOf(host: string, bound: AddressInfo): Addresses {
  const urlOf = (address: string): string => `http://${bracketed(address)}:${bound.port}`;
  const own = callable[bound.address];
  if (own === undefined) return { baseUrl: urlOf(host), others: [], isWildcard: false };
  const found = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  const others = found
    .filter(({ internal, family }) => !internal && (family === "IPv4" || bound.address === "::"))
    .filter(({ address }) => !/^fe[89ab]/i.test(address)); // link-local: a URL cannot name the interface
  return { baseUrl: urlOf(own), others: others.map(({ address }) => urlOf(address)), isWildcard: true };
}
