import { RevealOnce } from "../ui/fields/reveal-once.tsx";

/** Shows a new secret once. It is in the memory of the tab only. */
export function SecretReveal({ secret, onClose }: { secret: string; onClose: () => void }) {
  return (
    <RevealOnce
      title="Secret created"
      noun="secret"
      value={secret}
      confirmation="I have stored the secret"
      warning=". A lost secret can be rotated."
      onClose={onClose}
    >
      {() => <p class="muted">The receiver verifies the signature of each message with it (Standard Webhooks).</p>}
    </RevealOnce>
  );
}
