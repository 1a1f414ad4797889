/**
 * The secrets of model configurations that a function can resolve: none. The `env:` and `file:` of one machine do not
 * exist here, and without a secret the organization's model counts as unusable, which create answers with 422.
 */
export const secretOf = (_secret: string): undefined => undefined;
