/** What a URL contains besides a server and a path, as text for people. Undefined: nothing, or it is not a URL. */
export function surplusOf(address: string): string | undefined {
  const { username, password, search, hash } = URL.parse(address) ?? {};
  if (username || password) return "a user name or password";
  return search ? "a query" : hash ? "a fragment" : undefined;
}

/** A base URL without user name, password, query and fragment, which may be secret. Others are returned unchanged. */
export function publicBaseUrl(baseUrl: string): string {
  const url = surplusOf(baseUrl) === undefined ? undefined : URL.parse(baseUrl);
  return url ? url.origin + url.pathname : baseUrl;
}

/** A URL without user name and password. */
export function withoutUserinfo(address: string): string {
  const url = URL.parse(address);
  if (!url?.username && !url?.password) return address;
  return Object.assign(url, { username: "", password: "" }).href;
}
