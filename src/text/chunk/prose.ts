import { charactersOf, type Chunk, isSpace, pack } from './pack.ts';

/** The level of a cut before a character: higher is better. */
const ProseLevel = { none: 0, word: 1, codeLine: 2, sentence: 3, paragraph: 4, heading: 5 } as const;

const TERMINATORS = '.!?…؟۔।॥';
/** Full-width terminators end a sentence without a following space. */
const WIDE_TERMINATORS = '。！？．｡';
/** Characters that may follow the end of a sentence before the space. */
const CLOSERS = '"\')]}*_`»”’」』）】〉》';

/**
 * Divides Markdown into chunks of at most `budget` characters for embeddings (decisions section 4.3,
 * "Prose chunks"): at headings, else between paragraphs, else between sentences, list items, table
 * rows and lines of fenced code, else between words, else anywhere. A heading stays with what follows it.
 * See `pack` for the definition of a chunk. This is the reference; `chunkProse` of the kernels returns the same.
 *
 * Headings are those with `#` (CommonMark section 4.2); fenced code is recognised (section 4.5), so a comment in a code
 * block is not a heading.
 */
export function chunkProse(text: string, budget: number, dense = false): Chunk[] {
  const characters = charactersOf(text);
  return pack(characters, proseLevels(characters), budget, false, dense);
}

/** The level of each character; 0 for whitespace and for characters before which no cut is allowed. */
function proseLevels(characters: readonly string[]): Uint8Array {
  const marker = new ProseMarker(characters);
  for (let start = 0; start < characters.length;) {
    const newline = characters.indexOf('\n', start);
    const end = newline < 0 ? characters.length : newline;
    marker.line(start, end);
    start = end + 1;
  }
  return marker.levels;
}

interface Fence {
  readonly character: string;
  readonly length: number;
}

/** Processes one line after the other and remembers the state that the next line needs. */
class ProseMarker {
  readonly levels: Uint8Array;
  readonly #characters: readonly string[];
  #fence: Fence | undefined;
  #afterBlank = true;
  #afterHeading = false;
  /** The last terminator, if only closers have followed it. */
  #terminator = '';

  constructor(characters: readonly string[]) {
    this.#characters = characters;
    this.levels = new Uint8Array(characters.length);
  }

  line(start: number, end: number): void {
    let first = start;
    while (first < end && isSpace(this.#characters[first])) first += 1;
    if (first === end) {
      this.#afterBlank = true;
      return;
    }
    const text = this.#characters.slice(first, end).join('');
    const indented = first - start > 3 || this.#characters.slice(start, first).some((character) => character !== ' ');
    const fence = indented ? undefined : fenceOf(text);
    const inCode = this.#fence !== undefined;
    const heading = !inCode && !indented && /^#{1,6}(?=[ \t\n\v\f\r]|$)/.test(text);
    this.levels[first] = this.#levelOfLine(this.#characters[first]!, text, heading, inCode,
      !inCode && fence?.opens === true);
    this.#terminator = '';
    this.#words(first, end, inCode || fence?.opens === true || heading);
    this.#afterBlank = false;
    this.#afterHeading = heading;
    if (!inCode && fence?.opens) this.#fence = fence;
    else if (this.#fence !== undefined && fence?.closes && fence.character === this.#fence.character &&
      fence.length >= this.#fence.length) this.#fence = undefined;
  }

  #levelOfLine(first: string, text: string, heading: boolean, inCode: boolean, opensFence: boolean): number {
    if (this.#afterHeading) return ProseLevel.word;
    if (heading) return ProseLevel.heading;
    if (inCode) return this.#afterBlank ? ProseLevel.sentence : ProseLevel.codeLine;
    if (this.#afterBlank) return ProseLevel.paragraph;
    return opensFence || startsItem(text) || this.#endsSentence(first) ? ProseLevel.sentence : ProseLevel.word;
  }

  /** Marks the words of a line after its first character; with `plain`, full stops do not end a sentence. */
  #words(first: number, end: number, plain: boolean): void {
    for (let at = first; at < end; at++) {
      const character = this.#characters[at]!;
      if (isSpace(character)) continue;
      const afterSpace = at > first && isSpace(this.#characters[at - 1]);
      if (afterSpace) {
        this.levels[at] = this.#endsSentence(character) ? ProseLevel.sentence : ProseLevel.word;
        this.#terminator = '';
      } else if (isWide(this.#terminator) && !CLOSERS.includes(character) && !isTerminator(character)) {
        this.levels[at] = ProseLevel.sentence;
      }
      if (!plain && isTerminator(character)) this.#terminator = character;
      else if (!CLOSERS.includes(character)) this.#terminator = '';
    }
  }

  /**
   * Whether a sentence ends before a character; a lower-case letter after a full stop means that it was an
   * abbreviation.
   */
  #endsSentence(next: string): boolean {
    if (this.#terminator === '') return false;
    return !('.…'.includes(this.#terminator) && next >= 'a' && next <= 'z');
  }
}

function isTerminator(character: string): boolean {
  return TERMINATORS.includes(character) || isWide(character);
}

function isWide(character: string): boolean {
  return character !== '' && WIDE_TERMINATORS.includes(character);
}

/** List items, quotes and table rows: lines that are separate from the previous line. */
function startsItem(line: string): boolean {
  return /^(?:[>|]|(?:[-*+]|[0-9]{1,9}[.)])(?=[ \t\n\v\f\r]|$))/.test(line);
}

/** Whether a line that begins with three backticks or tildes can open or close fenced code. */
function fenceOf(line: string): Fence & { readonly opens: boolean; readonly closes: boolean } | undefined {
  const run = /^(?:`{3,}|~{3,})/.exec(line)?.[0];
  if (run === undefined) return undefined;
  const rest = line.slice(run.length);
  return {
    character: run[0]!,
    length: run.length,
    opens: run[0] === '~' || !rest.includes('`'),
    closes: /^[ \t\n\v\f\r]*$/.test(rest),
  };
}
