import { BlockList, isIP, isIPv4 } from "node:net";

// Addresses outside of the public internet: IANA's special-purpose registries, RFC 6890 and later.
const notPublic4 = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "168.63.129.16/32", // the host of virtual machines in Azure
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/3",
];
// Only 2000::/3 is public. These parts of it are not, or contain an IPv4 address that may be private (Teredo, 6to4).
const notPublic6 = ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"];

// RFC 1918, RFC 6598 and RFC 4193. Not loopback and link-local addresses, where a host's own services listen.
const private4 = ["10.0.0.0/8", "100.64.0.0/10", "172.16.0.0/12", "192.168.0.0/16"];
const private6 = ["fc00::/7"];
const loopback = blockList(["127.0.0.0/8"], ["::1/128"]);
// Services of a cloud's host at addresses of the private ranges: metadata of Alibaba Cloud, AWS (fd00:ec2::254) and Google.
const hostServices4 = ["100.100.100.200/32"];
const hostServices6 = ["fd00:ec2::/32", "fd20:ce::254/128"];

const blocked = blockList(notPublic4, notPublic6);
const global6 = blockList([], ["2000::/3"]);
const privateNetworks = blockList(private4, private6);
const hostServices = blockList(hostServices4, hostServices6);

function blockList(ranges4: string[], ranges6: string[]): BlockList {
  const list = new BlockList();
  for (const [family, ranges] of [
    ["ipv4", ranges4],
    ["ipv6", ranges6],
  ] as const) {
    for (const range of ranges) {
      const [network = "", prefix] = range.split("/");
      list.addSubnet(network, Number(prefix), family);
    }
  }
  return list;
}

/** Whether an IP address belongs to the public internet. False for text that is not an IP address. */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0) return false;
  if (isIPv4(address)) return !blocked.check(address, "ipv4");
  return global6.check(address, "ipv6") && !blocked.check(address, "ipv6");
}

/** Whether an IP address is one of the machine itself. False for text that is not an IP address. */
export function isLoopbackAddress(address: string): boolean {
  return isIP(address) !== 0 && loopback.check(address, isIPv4(address) ? "ipv4" : "ipv6");
}

/** Whether two texts are the same IP address, however it is written. */
export function isSameAddress(one: string, other: string): boolean {
  if (isIP(one) === 0 || isIP(other) === 0) return false;
  const list = new BlockList();
  list.addAddress(one, isIPv4(one) ? "ipv4" : "ipv6");
  return list.check(other, isIPv4(other) ? "ipv4" : "ipv6");
}

/** Whether an IP address belongs to a private network that other hosts share. False for text that is not an IP address. */
export function isPrivateNetworkAddress(address: string): boolean {
  if (isIP(address) === 0) return false;
  const family = isIPv4(address) ? "ipv4" : "ipv6";
  return privateNetworks.check(address, family) && !hostServices.check(address, family);
}
