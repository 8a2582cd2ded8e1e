import { MarksKernel } from '../../kernels/marks.ts';
import { type HighlightToken, type ScannedText, scanTokens } from '../../text/highlight/index.ts';
import { tokenTables } from '../../text/token-tables.ts';
import { tokenize } from '../../text/tokenize.ts';

/** Longer texts would leave a memory behind that is several times as large. */
const LONGEST_TEXT = 2 ** 20;

/** The kernel of the process, and whose forms it has. */
let shared: { readonly kernel: MarksKernel; holds: MarkedForms | undefined } | undefined;

/** Some forms, looked for in texts. Prose is read in WebAssembly, but for lines whose words need the Unicode functions of JavaScript. */
export class MarkedForms {
  readonly forms: readonly string[];
  #known: ReadonlySet<string> | undefined;

  /** Forms are as the tokeniser makes them, each once. */
  constructor(forms: readonly string[]) {
    this.forms = forms;
  }

  /** Whether others are the same forms, in the same order. */
  hasSameForms({ forms }: { readonly forms: readonly string[] }): boolean {
    return forms.length === this.forms.length && forms.every((form, i) => form === this.forms[i]);
  }

  /**
   * Scans a text of prose, which may be UTF-8; candidates are the words that have one of the forms. The result may be overwritten by the next scan,
   * of whichever forms: use it before anything else can run.
   */
  scan(text: string | Buffer): ScannedText {
    if (text.length > LONGEST_TEXT) return this.scanBy(tokenize, text);
    shared ??= { kernel: new MarksKernel(tokenTables()), holds: undefined };
    if (shared.holds !== this) shared.kernel.use(this.forms);
    shared.holds = this;
    const { bytes, marks, lines, wordsOf } = shared.kernel.scan(text, tokenize);
    const candidates: HighlightToken[] = [];
    for (let i = 0; i < marks.length; i += 4) {
      candidates.push({ start: marks[i + 2]!, end: marks[i + 3]!, form: this.forms[marks[i + 1]! - 1]!, position: marks[i]! });
    }
    return { bytes, wordsOf, lines, candidates };
  }

  /** The same by a tokeniser. */
  scanBy(tokens: (text: string) => readonly HighlightToken[], text: string | Buffer): ScannedText {
    const known = this.#known ??= new Set(this.forms);
    return scanTokens(text, tokens, (form) => known.has(form));
  }
}
