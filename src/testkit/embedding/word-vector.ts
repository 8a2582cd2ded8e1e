const ROLE_PREFIX = /^(?:search_document|search_query|passage|query): /;

/**
 * The vector that the embedding server returns for a text: the sum of a fixed pseudo-random vector for each of its
 * words, scaled to length 1. Texts that share words are similar, whatever prefix states their role.
 */
export function wordVector(text: string, dimensions: number): number[] {
  const sum = new Float64Array(dimensions);
  for (const word of text.replace(ROLE_PREFIX, '').toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [text]) addWord(sum, word);
  const length = Math.hypot(...sum) || 1;
  return Array.from(sum, (value) => value / length);
}

/** FNV-1a of the word seeds xorshift32. */
function addWord(sum: Float64Array, word: string): void {
  let state = 2_166_136_261;
  for (let i = 0; i < word.length; i++) state = Math.imul(state ^ word.charCodeAt(i), 16_777_619);
  state ||= 1;
  for (let i = 0; i < sum.length; i++) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    sum[i]! += (state >>> 0) / 2 ** 31 - 1;
  }
}
