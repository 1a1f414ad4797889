import { isLoopbackAddress, isPrivateNetworkAddress, isPublicAddress, isSameAddress } from "./public-ip.ts";

/**
 * Ranges of addresses that may be connected to. `public`: the public internet. `private`: private networks, too. `local`: also
 * the machine itself. None contains link-local, unspecified and multicast addresses, and those of metadata services.
 */
type AddressRange = "public" | "private" | "local";

/** Addresses that may be connected to: those of a range, and single ones that an operator of the machine has named. */
export type AddressScope = AddressRange | { range: AddressRange; named: readonly string[] };

/** Whether an IP address may be connected to. False for text that is not an IP address. */
export function isAllowedAddress(address: string, scope: AddressScope): boolean {
  const { range, named } = partsOf(scope);
  return (
    isPublicAddress(address) ||
    (range !== "public" && isPrivateNetworkAddress(address)) ||
    (range === "local" && isLoopbackAddress(address)) ||
    named.some((each) => isSameAddress(each, address))
  );
}

/** What a scope contains, for errors, such as `the public internet or a private network`. */
export function describeScope(scope: AddressScope): string {
  const { range, named } = partsOf(scope);
  const ranges = ["the public internet", "a private network", "this machine"];
  const parts = [...ranges.slice(0, { public: 1, private: 2, local: 3 }[range]), ...named];
  return parts.length === 1 ? ranges.slice(0, 1).join() : `${parts.slice(0, -1).join(", ")} or ${parts.at(-1)}`;
}

function partsOf(scope: AddressScope): { range: AddressRange; named: readonly string[] } {
  return typeof scope === "string" ? { range: scope, named: [] } : scope;
}
