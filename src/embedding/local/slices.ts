const MAX_TEXTS = 16;
const MAX_CHARACTERS = 16_000;

/**
 * The indexes of texts in portions that a model runs at once. All texts of a portion are padded to
 * its longest, so texts of like length go together, and long ones alone; a portion is short enough
 * that others get their turn soon.
 */
export function slices(texts: readonly string[]): number[][] {
  const byLength = texts.map((_, index) => index).sort((a, b) => texts[a]!.length - texts[b]!.length);
  const portions: number[][] = [];
  let current: number[] = [];
  for (const index of byLength) {
    if (current.length === MAX_TEXTS || (current.length > 0 && (current.length + 1) * texts[index]!.length > MAX_CHARACTERS)) {
      portions.push(current);
      current = [];
    }
    current.push(index);
  }
  return current.length > 0 ? [...portions, current] : portions;
}
