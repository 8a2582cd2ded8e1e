/** Shorter values are too common in ordinary output to be masked (Buildkite's limit). */
export const MIN_MASKED_LENGTH = 6;

/**
 * Whether logs can mask the value of a secret. What is a part of the name of a secret is not masked: names are public,
 * and messages must be able to say which secret they mean.
 */
export function isMaskable(value: string, names: readonly string[]): boolean {
  const text = value.trim();
  return text.length >= MIN_MASKED_LENGTH && !names.some((name) => name.includes(text));
}
