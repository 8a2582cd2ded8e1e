/** Tokens that a text of so many bytes is taken for (contract section 2, `retrieval`). */
const BYTES_PER_TOKEN = 4;

/**
 * How many results of a list fit a budget of tokens: trailing ones are dropped whole and the first is
 * always kept. `bytes` are the lengths of the texts that the results carry; a budget of 0 is none.
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
