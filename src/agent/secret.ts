/** Whether a secret that a model configuration names exists. Makes no network call. */
export type SecretExists = (secret: string) => boolean;

/**
 * Reads the value of a secret. Resolves with undefined when the secret does not exist or may not be read. Rejects when
 * the secret store is unavailable, which is retryable. No error contains the value.
 */
export type ReadSecret = (secret: string) => Promise<string | undefined>;
