import { MarksKernel } from '../../kernels/marks.ts';
import { type HighlightToken, type ScannedText, scanTokens } from '../../text/highlight/index.ts';
import { tokenTables } from '../../text/token-tables.ts';
import { tokenize } from '../../text/tokenize.ts';

/** The kernel of the process, and the instance whose forms it holds. */
let shared: { readonly kernel: MarksKernel; holds: MarkedForms | undefined } | undefined;

/**
 * Searches texts for a set of forms. Prose is scanned in WebAssembly, except for lines whose words need the Unicode
 * functions of JavaScript.
 */
export class MarkedForms {
  readonly forms: readonly string[];
  #known: ReadonlySet<string> | undefined;

  /** Forms must be as the tokeniser produces them, without repeats. */
  constructor(forms: readonly string[]) {
    this.forms = forms;
  }

  /**
   * Scans a text of prose, which may be UTF-8; candidates are the words that have one of the forms. The next scan, also
   * for other forms, may overwrite the result: use it synchronously. The memory grows permanently to several times the
   * size of a text, so long ones are to be scanned in parts.
   */
  scan(text: string | Buffer): ScannedText {
    shared ??= { kernel: new MarksKernel(tokenTables()), holds: undefined };
    if (shared.holds !== this) shared.kernel.use(this.forms);
    shared.holds = this;
    const { bytes, marks, lines, wordsOf } = shared.kernel.scan(text, tokenize);
    const candidates: HighlightToken[] = [];
    for (let i = 0; i < marks.length; i += 4) {
      candidates.push({
        start: marks[i + 2]!,
        end: marks[i + 3]!,
        form: this.forms[marks[i + 1]! - 1]!,
        position: marks[i]!,
      });
    }
    return { bytes, wordsOf, lines, candidates };
  }

  /** The same, with a tokeniser in JavaScript. */
  scanBy(tokens: (text: string) => readonly HighlightToken[], text: string | Buffer): ScannedText {
    const known = this.#known ??= new Set(this.forms);
    return scanTokens(text, tokens, (form) => known.has(form));
  }
}
