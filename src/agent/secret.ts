/** Store of the credentials that configurations refer to by name. No error contains a value. */
export interface Secrets {
  /** Whether the secret can exist. Makes no network call. */
  secretExists: (secret: string) => boolean;
  /**
   * The value of a secret.
   * - Undefined: it does not exist or must not be read.
   * - Rejects when the look-up failed; a retry can help.
   */
  secretOf: (secret: string) => Promise<string | undefined>;
  /** Why the service cannot use the secret, as a sentence. Undefined: it can. For operators' commands. */
  secretProblem: (secret: string) => Promise<string | undefined>;
}
