/** Number of bytes of a text that count as one token (contract section 2, `retrieval`). */
const BYTES_PER_TOKEN = 4;

/**
 * How many results of a list fit a budget of tokens: trailing results are dropped whole, and the first is always kept.
 * `bytes` are the lengths of the texts that the results contain; a budget of 0 means no limit.
 */
export function countWithinBudget(bytes: readonly number[], budget: number): number {
  if (budget === 0) return bytes.length;
  let tokens = 0;
  for (const [i, length] of bytes.entries()) {
    tokens += Math.ceil(length / BYTES_PER_TOKEN);
    if (tokens > budget && i > 0) return i;
  }
  return bytes.length;
}

/** The texts that a result contains; it may have any of them. */
export interface CarriedText {
  /** Bytes of the body. */
  readonly body?: number | undefined;
  /** Bytes of a passage of the body. */
  readonly passage?: number | undefined;
  readonly fragments?: readonly { readonly fragment: string }[] | undefined;
  readonly meta?: Readonly<Record<string, readonly string[]>> | undefined;
}

/**
 * Bytes of a result that count against a token budget (decisions section 4.3, "Context budget cost"): those of its
 * body, else of its passage, else of its fragments. A result without any of these still costs the bytes of its
 * metadata.
 */
export function contextCost({ body, passage, fragments, meta = {} }: CarriedText): number {
  if (body !== undefined) return body;
  if (passage !== undefined) return passage;
  if (fragments !== undefined && fragments.length > 0)
    return fragments.reduce((bytes, { fragment }) => bytes + Buffer.byteLength(fragment), 0);
  return Object.entries(meta).reduce(
    (bytes, [key, values]) =>
      values.reduce((sum, value) => sum + Buffer.byteLength(value), bytes + Buffer.byteLength(key)),
    0,
  );
}
