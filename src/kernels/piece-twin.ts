// The plain twin of `asm/embedding/unigram.ts` and `pieces.ts`, for their tests.
import type { PieceWords } from './embedding.ts';
import { normalizePieces, pieceClass } from './piece-characters.ts';

const UNKNOWN = -25;
const MARK = '\u2581';
const LATIN = /^\u2581?[\u0001-\u024f\u1e00-\u1eff]+$/;

interface Piece {
  readonly id: number;
  readonly score: number;
  readonly english: number;
  readonly isLatin: boolean;
}

/** The best way to some place of a word. */
interface Path {
  readonly score: number;
  readonly pieces: readonly (Piece | undefined)[];
}

export class PieceTwin {
  readonly #pieces: ReadonlyMap<string, Piece>;

  constructor({ vocabulary, english }: PieceWords) {
    const lines = new TextDecoder().decode(vocabulary).replace(/\n$/, '').split('\n');
    const evidence = new Int8Array(Uint8Array.from(english).buffer);
    this.#pieces = new Map(lines.map((line, id) => {
      const tab = line.lastIndexOf('\t');
      const text = line.slice(0, tab);
      return [text, { id, score: Number(line.slice(tab + 1)), english: evidence[id]!, isLatin: LATIN.test(text) }];
    }));
  }

  /** Numbers of the pieces of a text. */
  pieces(text: string): number[] {
    return this.#words(text).flatMap(({ pieces }) => pieces.map(({ id }) => id));
  }

  /** See `PieceEvidence`. */
  evidence(text: string): { english: number | undefined; unknown: number } {
    const words = this.#words(text);
    const sums = words.map(({ pieces }) => {
      if (pieces.length <= 1) return pieces[0]?.english ?? 0;
      const sum = pieces.reduce(
        (all, { english, isLatin }) => all + (isLatin ? Math.max(-8, Math.min(8, english)) : english),
        0,
      );
      return pieces[0]!.isLatin ? Math.floor(sum / 2) : sum;
    });
    const letters = words.reduce((sum, each) => sum + each.letters, 0);
    const unknown = words.reduce((sum, each) => sum + each.unknown, 0);
    return {
      english: words.some(({ pieces }) => pieces.length > 0) ? sums.reduce((a, b) => a + b, 0) : undefined,
      unknown: letters === 0 ? 0 : unknown / letters,
    };
  }

  #words(text: string): { pieces: Piece[]; letters: number; unknown: number }[] {
    return wordsOf(text).map(({ characters, kind }) => {
      const path = this.#best(kind === 2 ? [MARK, ...characters] : characters);
      const pieces = path.filter((piece) => piece !== undefined);
      const isWord = kind > 1;
      return {
        pieces,
        letters: isWord ? characters.length : 0,
        unknown: isWord ? path.length - pieces.length : 0,
      };
    });
  }

  #best(characters: readonly string[]): readonly (Piece | undefined)[] {
    const paths: (Path | undefined)[] = [{ score: 0, pieces: [] }];
    const offer = (to: number, from: Path, score: number, piece: Piece | undefined): void => {
      const sum = from.score + score;
      if (sum > (paths[to]?.score ?? -1e30)) paths[to] = { score: sum, pieces: [...from.pieces, piece] };
    };
    for (const [i, character] of characters.entries()) {
      for (let end = i + 1; end <= characters.length; end++) {
        const piece = this.#pieces.get(characters.slice(i, end).join(''));
        if (piece !== undefined) offer(end, paths[i]!, piece.score, piece);
      }
      if (!this.#pieces.has(character)) offer(i + 1, paths[i]!, UNKNOWN, undefined);
    }
    return paths[characters.length]!.pieces;
  }
}

function wordsOf(text: string): { characters: string[]; kind: number }[] {
  const words: { characters: string[]; kind: number }[] = [];
  let before = 0;
  for (const character of normalizePieces(text)) {
    const kind = pieceClass(character.codePointAt(0)!);
    if (kind > 1 && kind === before) words.at(-1)!.characters.push(character);
    else if (kind > 0) words.push({ characters: [character], kind });
    before = kind;
  }
  return words;
}
