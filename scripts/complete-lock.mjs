// Completes package-lock.json after packages were added from an index that lacks some platforms' binaries. npm leaves
// their entries out, and `npm ci` then rejects the lock file on every machine (npm 11.19). Adds an entry for each
// missing optional dependency, with its parent's exact version and the platform from its name.
import { readFileSync, writeFileSync } from "node:fs";

const file = new URL("../package-lock.json", import.meta.url);
const lock = JSON.parse(readFileSync(file, "utf8"));
const packages = lock.packages;

const systems = ["android", "darwin", "freebsd", "linux", "netbsd", "openbsd", "openharmony", "sunos", "aix", "win32"];
const processors = { x64: "x64", ia32: "ia32", arm64: "arm64", arm: "arm", riscv64: "riscv64", s390x: "s390x" };
Object.assign(processors, {
  ppc64: "ppc64",
  ppc64le: "ppc64",
  loong64: "loong64",
  wasm32: "wasm32",
  universal: undefined,
});

let added = 0;
for (const [path, { optionalDependencies = {}, dev }] of Object.entries(packages)) {
  for (const [name, version] of Object.entries(optionalDependencies)) {
    const known = Object.keys(packages).some((other) => other.endsWith(`node_modules/${name}`));
    if (known || path === "") continue;
    const parts = name.split(/[/-]/);
    const os = systems.filter((system) => parts.includes(system));
    const cpu = [...new Set(parts.map((part) => processors[part]).filter(Boolean))];
    const libc = parts.some((part) => part.startsWith("musl")) ? ["musl"] : parts.includes("gnu") ? ["glibc"] : [];
    if (os.length === 0 && !cpu.includes("wasm32"))
      throw new Error(`${name}: its name contains no platform; add the entry by hand`);
    packages[`node_modules/${name}`] = {
      version,
      ...(cpu.length > 0 && { cpu }),
      ...(dev && { dev }),
      ...(libc.length > 0 && { libc }),
      optional: true,
      ...(os.length > 0 && { os }),
    };
    added++;
  }
}
lock.packages = Object.fromEntries(Object.entries(packages).toSorted(([a], [b]) => (a < b ? -1 : 1)));
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
console.log(`${added} entries added`);
