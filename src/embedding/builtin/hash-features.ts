// The lexical features of a text, hashed into the components of a vector ("feature hashing":
// Weinberger et al., ICML 2009; character n-grams with word marks: Bojanowski et al., TACL 2017).

const OFFSET = 2_166_136_261;
const PRIME = 16_777_619;
const GRAM = 3;
/** Fraction of a word's weight that its character n-grams have together, so that inflected forms become similar. */
const GRAMS_WEIGHT = 0.7;

// Only the beginning of longer texts is embedded, as with every model.
const MAX_CHARACTERS = 100_000;
// Scripts without spaces produce a sequence of characters, which is divided into pairs.
const WORDS =
  /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]+|[\p{L}\p{M}\p{N}_]+/gu;
const UNSPACED = /^[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]/u;

/**
 * Adds the features of a word to a vector with the given weight: the word itself, and its trigrams between `<` and `>`.
 */
export function addWord(vector: Float64Array | Float32Array, word: string, weight: number): void {
  addFeature(vector, hash(word, 0, word.length, 0), weight);
  const marked = `<${word}>`;
  const grams = marked.length - GRAM + 1;
  const each = (weight * GRAMS_WEIGHT) / Math.sqrt(grams);
  for (let i = 0; i < grams; i++) addFeature(vector, hash(marked, i, i + GRAM, 1), each);
}

/** The upper bits choose the component, the lowest the sign, so that collisions cancel out on average. */
function addFeature(vector: Float64Array | Float32Array, code: number, weight: number): void {
  vector[(code >>> 1) % vector.length]! += (code & 1) === 0 ? weight : -weight;
}

/** FNV-1a over UTF-16 code units, followed by the finalizer of MurmurHash3, because the low bits of FNV-1a are weak. */
function hash(text: string, start: number, end: number, kind: number): number {
  let code = Math.imul(OFFSET ^ kind, PRIME);
  for (let i = start; i < end; i++) code = Math.imul(code ^ text.charCodeAt(i), PRIME);
  code = Math.imul(code ^ (code >>> 16), 0x85eb_ca6b);
  code = Math.imul(code ^ (code >>> 13), 0xc2b2_ae35);
  return (code ^ (code >>> 16)) >>> 0;
}

/** Words with their number of occurrences; a text of only punctuation is one word. */
export function countWords(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  const folded = text.slice(0, MAX_CHARACTERS).toWellFormed().normalize('NFKC').toLowerCase();
  for (const [run] of folded.matchAll(WORDS)) {
    for (const word of UNSPACED.test(run) ? pairs(run) : [run]) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return counts.size > 0 ? counts : new Map([[folded.trim(), 1]]);
}

function pairs(run: string): string[] {
  const characters = [...run];
  return characters.length < 2 ? [run] : characters.slice(1).map((character, i) => characters[i]! + character);
}

/** Each repetition of a word adds less, and short words weigh little, because most of them are grammatical. */
export function weight(word: string, times: number): number {
  const worth = word.length >= 4 || UNSPACED.test(word) ? 1 : word.length === 3 ? 0.5 : 0.25;
  return worth * (1 + Math.log(times));
}
