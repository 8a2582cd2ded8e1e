// The plain twin of `asm/embedding.ts`, for its tests.
import { foldCharacter } from './bert-characters.ts';
import type { TokenVectors } from './embedding.ts';

const WORD_CHARACTERS = 100;

export class EmbeddingTwin {
  readonly #ids: ReadonlyMap<string, number>;
  readonly #rows: Int8Array;
  readonly #scales: Float32Array;
  readonly #dims: number;

  constructor({ vocabulary, vectors, scales }: TokenVectors) {
    const tokens = new TextDecoder().decode(vocabulary).replace(/\n$/, '').split('\n');
    this.#ids = new Map(tokens.map((token, id) => [token, id]));
    this.#rows = new Int8Array(Uint8Array.from(vectors).buffer);
    this.#scales = new Float32Array(Uint8Array.from(scales).buffer);
    this.#dims = vectors.length / tokens.length;
  }

  tokens(text: string): number[] {
    return wordsOf(text).flatMap((word) => this.#pieces([...word]));
  }

  vector(text: string): number[] {
    const counts = new Map<number, number>();
    for (const id of this.tokens(text)) counts.set(id, (counts.get(id) ?? 0) + 1);
    const sum = Array.from({ length: this.#dims }, () => 0);
    for (const [id, count] of counts) {
      const weight = this.#scales[id]! * Math.sqrt(count);
      for (let i = 0; i < this.#dims; i++) sum[i]! += weight * this.#rows[id * this.#dims + i]!;
    }
    const length = Math.hypot(...sum);
    return length === 0 ? sum : sum.map((value) => value / length);
  }

  /** See `EmbeddingKernel.matches`. */
  match(query: readonly number[], text: readonly number[]): number {
    const rowOf = (id: number): Int8Array => this.#rows.subarray(id * this.#dims, (id + 1) * this.#dims);
    const asked = query.slice(0, 64).map((id) => ({
      row: rowOf(id),
      length: Math.hypot(...rowOf(id)),
      scale: this.#scales[id]!,
    }));
    const total = asked.reduce((sum, { length, scale }) => sum + length * scale, 0);
    const similarities = asked.map(({ row, length, scale }) =>
      length * scale * text.reduce((best, id) => Math.max(best, cosine(row, rowOf(id))), 0)
    );
    return total > 0 ? similarities.reduce((sum, value) => sum + value, 0) / total : 0;
  }

  /**
   * Splits a word into the longest tokens, from its beginning on; returns only the unknown token if no token matches
   * the rest of the word.
   */
  #pieces(characters: readonly string[]): number[] {
    const unknown = [this.#ids.get('[UNK]')!];
    if (characters.length > WORD_CHARACTERS) return unknown;
    const found: number[] = [];
    for (let start = 0; start < characters.length;) {
      const mark = start > 0 ? '##' : '';
      let end = characters.length;
      let id: number | undefined;
      while (end > start && (id = this.#ids.get(mark + characters.slice(start, end).join(''))) === undefined) end--;
      if (id === undefined) return unknown;
      found.push(id);
      start = end;
    }
    return found;
  }
}

function cosine(a: Int8Array, b: Int8Array): number {
  const lengths = Math.hypot(...a) * Math.hypot(...b);
  return lengths === 0 ? 0 : a.reduce((sum, value, i) => sum + value * b[i]!, 0) / lengths;
}

function wordsOf(text: string): string[] {
  const words: string[] = [];
  let word = '';
  const end = (): void => {
    if (word !== '') words.push(word);
    word = '';
  };
  for (const character of text.toWellFormed()) {
    const { kind, text: folded } = foldCharacter(character.codePointAt(0)!);
    if (kind === 'word') word += folded;
    else if (kind !== 'removed') end();
    if (kind === 'single') words.push(folded);
  }
  end();
  return words;
}

/** A vector as asm/embedding/round.ts rounds it. */
export function roundedTwin(vector: Float32Array): Uint8Array {
  const least = Math.min(...vector);
  const step = Math.fround((Math.max(...vector) - least) / 255);
  const levels = Array.from(vector,
    (value) => (step > 0 ? Math.min(255, Math.floor((value - least) / step + 0.5)) : 0));
  return Uint8Array.of(...new Uint8Array(Float32Array.of(least, step).buffer), ...levels);
}
