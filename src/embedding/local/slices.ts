const MAX_TEXTS = 16;
const MAX_CHARACTERS = 16_000;

/**
 * Divides the indexes of texts into batches that a model processes at once. All texts of a batch are padded to its
 * longest, so texts of similar length are batched together, and long ones alone. A batch is short enough that other
 * callers do not wait long.
 */
export function slices(texts: readonly string[]): number[][] {
  const byLength = texts.map((_, index) => index).sort((a, b) => texts[a]!.length - texts[b]!.length);
  const portions: number[][] = [];
  let current: number[] = [];
  for (const index of byLength) {
    if (current.length === MAX_TEXTS ||
      (current.length > 0 && (current.length + 1) * texts[index]!.length > MAX_CHARACTERS))
    {
      portions.push(current);
      current = [];
    }
    current.push(index);
  }
  return current.length > 0 ? [...portions, current] : portions;
}
