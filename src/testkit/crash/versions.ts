/** The field of vectors that the writers' collections declare. */
export const FIELD = 'place';
export const DIMENSIONS = 3;

/**
 * What the writers of a crash test store. Body, metadata and vector all follow from the version number alone, so a
 * stored document can be identified, and one that mixes two versions matches neither.
 */
export interface Version {
  readonly contentMd: string;
  readonly meta: Record<string, string[]>;
  /** As base64 of 32-bit floats. */
  readonly vectors: Record<typeof FIELD, string>;
}

/** Sizes of the bodies in bytes: below and above the compression thresholds, and larger than a page of the database. */
const SIZES = [0, 40, 900, 3000, 12_000, 40_000];

export function versionOf(number: number): Version {
  return {
    contentMd: `# Version ${number}\n${filler(number, SIZES[number % SIZES.length]!)}`,
    meta: { version: [String(number)], tags: tagsOf(number) },
    vectors: { [FIELD]: vectorOf(number) },
  };
}

/** The version of a stored document, or undefined if that version was never written. */
export function recognize(document: Version): number | undefined {
  const number = Number(document.meta['version']?.[0]);
  const { contentMd, meta, vectors } = versionOf(number);
  const same = document.contentMd === contentMd && document.meta['tags']?.join() === meta['tags']!.join() &&
    document.vectors?.[FIELD] === vectors[FIELD];
  return same ? number : undefined;
}

const vectorOf = (number: number): string =>
  Buffer.from(Float32Array.from({ length: DIMENSIONS }, (_, i) => number + i).buffer).toString('base64');

function tagsOf(number: number): string[] {
  return Array.from({ length: 1 + (number % 4) }, (_, i) => `tag-${(number * 7 + i) % 50}`).sort();
}

/** Text that compresses badly, so that large bodies really fill pages. */
function filler(number: number, bytes: number): string {
  let state = number + 1;
  let text = '';
  while (text.length < bytes) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    text += state.toString(36);
  }
  return text.slice(0, bytes);
}
