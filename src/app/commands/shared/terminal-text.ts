import { textWidth } from './output.ts';

/** Colours and weights of text (ECMA-48, SGR), erasing to the end of the line, tabs, and other control characters. */
const CONTROL = /\u001b\[[0-9;:]*m|\u001b\[0?K|\t|\p{Cc}/gu;

const RESET = '\u001b[0m';
const TAB_STOP = 8;

/** Longest sequences of a style that later lines continue; a program that never resets its colours makes them grow. */
const MAX_STYLE = 256;

/** How the lines are written. */
export interface TextStyle {
  /** Colours are kept; without it they are removed. */
  readonly colours: boolean;
  /** Tabs become spaces as on a terminal that shows only the text: what stands before the text would move its stops. */
  readonly expandsTabs: boolean;
}

/**
 * Lines of output of programs for a terminal or a file: spaces, tabs and, if wanted, colours stay. Other control
 * characters could move the cursor, change the terminal or imitate other lines, and become visible characters: those of
 * U+2400 and following, and `\x9b` for U+0080 to U+009F. Colours that a line leaves on continue in the next line of the
 * same source, and in no other one.
 */
export class TerminalText {
  readonly #style: TextStyle;
  /** Sequences that are in force at the end of the last line of each source. */
  readonly #open = new Map<string, string>();

  constructor(style: TextStyle) {
    this.#style = style;
  }

  /** A line without its line end. `source` names the stream to which it belongs. */
  line(source: string, text: string): string {
    let open = this.#open.get(source) ?? '';
    let shown = this.#style.colours ? open : '';
    let column = 0;
    let end = 0;
    const add = (piece: string): void => {
      shown += piece;
      if (this.#style.expandsTabs) column += textWidth(piece);
    };
    for (const { 0: control, index } of text.matchAll(CONTROL)) {
      if (index > end) add(text.slice(end, index));
      end = index + control.length;
      if (control === '\t') add(this.#style.expandsTabs ? ' '.repeat(TAB_STOP - (column % TAB_STOP)) : control);
      else if (control.length === 1) add(visible(control));
      else if (control.endsWith('m') && this.#style.colours) {
        open = styleAfter(open, control);
        shown += control;
      }
    }
    if (end < text.length) add(text.slice(end));
    this.#open.set(source, open);
    return shown.includes('\u001b') ? shown + RESET : shown;
  }
}

function styleAfter(open: string, sequence: string): string {
  const parameters = sequence.slice(2, -1);
  if (/^0*$/.test(parameters)) return '';
  const after = /^0*;/.test(parameters) ? sequence : open + sequence;
  return after.length > MAX_STYLE ? '' : after;
}

function visible(control: string): string {
  const code = control.codePointAt(0)!;
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  return code === 0x7f ? '\u2421' : `\\x${code.toString(16)}`;
}

/** One line with its control characters made visible. */
export const visibleLine = (text: string): string => text.replaceAll(/\p{Cc}/gu, visible);
