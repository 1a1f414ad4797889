import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { StoreUnavailable } from "../../../errors.ts";

/**
 * Addresses of a bucket's host, for a function without DNS: queries could carry data out of its network. Empty: the function can
 * look them up, in a service that is compatible with AWS.
 */
export async function bucketAddresses(url: string): Promise<string[]> {
  const { hostname } = new URL(url);
  if (isIP(hostname) !== 0 || hostname === "localhost") return [];
  try {
    return (await lookup(hostname, { all: true, family: 4 })).map(({ address }) => address);
  } catch (error) {
    throw new StoreUnavailable(`the addresses of ${hostname} are not known now (${String(error)})`, { cause: error });
  }
}
