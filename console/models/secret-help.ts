/** What to do so that a location is accepted. Undefined: it is accepted, or nobody can know. `start`: how a start begins. */
export function secretHelp(
  secret: string,
  accepted: string[] | null,
  platform: "local" | "aws",
  start: string,
): string | undefined {
  const location = secret.trim();
  if (location === "") return undefined;
  if (!/^(env|file|secretsmanager):./.test(location)) {
    return platform === "aws"
      ? "Enter the location, not the key itself: secretsmanager:NAME. To store a key, use “Paste a key…”."
      : "Enter the location, not the key itself: env:NAME or file:PATH. To store a key, use “Paste a key…”.";
  }
  if (accepted === null || accepted.includes(location) || location.startsWith("file:secrets/")) return undefined;
  if (platform === "aws") return undefined; // accepted by their prefix; the API says which
  const name = location.startsWith("env:") ? location.slice("env:".length) : location;
  return `${location} is not accepted yet. Restart the service with: ${start} --allow-secret ${name}`;
}
