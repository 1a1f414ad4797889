/** The link that signs an operator in to the console. Browsers do not send what follows `#`. */
export function consoleLink(baseUrl: string, token: string): string {
  return `${baseUrl.replace(/\/$/, "")}/console/#${token}`;
}
