/** For errors of connections: the proxy that Node.js sends a request through, without its password. Empty: there is none. */
export function throughProxy({ protocol }: URL): string {
  const { NODE_USE_ENV_PROXY: isUsed, ...variables } = globalThis.process?.env ?? {};
  const name = `${protocol.slice(0, -1)}_proxy`;
  const proxy = isUsed === "1" && (variables[name] ?? variables[name.toUpperCase()]);
  return proxy ? ` (the environment names the proxy ${proxy.replace(/^.*(@|:\/\/)/, "")})` : "";
}
