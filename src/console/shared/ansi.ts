/** A piece of an output line, with the style in which a terminal would show it. */
export interface Span {
  readonly text: string;
  /** A CSS colour; undefined for the default colour. */
  readonly color?: string;
  readonly background?: string;
  readonly isBold?: boolean;
  readonly isDim?: boolean;
  readonly isUnderlined?: boolean;
}

/** The style of a piece of text. */
export type Look = Omit<Span, 'text'>;

/** Readable on a dark background: the eight colours, then the bright ones. */
const PALETTE = ['#7d8590', '#ff8f85', '#7ee2a0', '#f0d27a', '#8fc0ff', '#dda6f5', '#74dfe6', '#e4e4df', '#9aa3ad',
  '#ffb1aa', '#a4f0bf', '#ffe39a', '#b5d6ff', '#ecc6fb', '#a5eff3', '#ffffff'];

/** Escape sequences: SGR (colours), other control sequences, titles of windows, and single characters. */
const ESCAPE = /\u001b(?:\[([0-9;:]*)m|\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\-_])/g;

/** Splits a line of output at its escape sequences (ECMA-48, SGR); sequences other than colours are removed. */
export const readAnsi = (line: string): Span[] => readAnsiFrom(line, {}).spans;

/** Like `readAnsi`, for a line that begins in the style in which the line before has ended; returns that of its end. */
export function readAnsiFrom(line: string, before: Look): { readonly spans: Span[]; readonly look: Look } {
  const spans: Span[] = [];
  let look = before;
  let end = 0;
  for (const match of line.matchAll(ESCAPE)) {
    if (match.index > end) spans.push({ text: line.slice(end, match.index), ...look });
    end = match.index + match[0].length;
    if (match[1] !== undefined) look = apply(look, match[1]);
  }
  if (end < line.length) spans.push({ text: line.slice(end), ...look });
  return { spans, look };
}

/** A line without its escape sequences. */
export const withoutAnsi = (line: string): string => line.replace(ESCAPE, '');

function apply(before: Look, parameters: string): Look {
  const codes = parameters.split(/[;:]/).map((code) => Number(code || 0));
  let look = before;
  for (let at = 0; at < codes.length; at++) {
    const code = codes[at]!;
    if (code === 38 || code === 48) {
      const [color, used] = extended(codes.slice(at + 1));
      look = { ...look, [code === 38 ? 'color' : 'background']: color };
      at += used;
    } else {
      look = simple(look, code);
    }
  }
  return look;
}

function simple(look: Look, code: number): Look {
  if (code === 0) return {};
  if (code === 1) return { ...look, isBold: true };
  if (code === 2) return { ...look, isDim: true };
  if (code === 4) return { ...look, isUnderlined: true };
  if (code === 22) return without(look, 'isBold', 'isDim');
  if (code === 24) return without(look, 'isUnderlined');
  if (code === 39) return without(look, 'color');
  if (code === 49) return without(look, 'background');
  const [base, name] = [Math.floor(code / 10) * 10, [3, 9].includes(Math.floor(code / 10)) ? 'color' : 'background'];
  const color = code % 10 < 8
    ? { 30: PALETTE[code - 30], 40: PALETTE[code - 40], 90: PALETTE[code - 82], 100: PALETTE[code - 92] }[base]
    : undefined;
  return color === undefined ? look : { ...look, [name]: color };
}

/** Parses `5;N` or `2;R;G;B`, and returns how many numbers were used. */
function extended([kind, ...rest]: readonly number[]): [color: string | undefined, used: number] {
  if (kind === 5) return [indexed(rest[0] ?? 0), 2];
  if (kind !== 2) return [undefined, 1];
  const [red = 0, green = 0, blue = 0] = rest;
  return [`rgb(${red} ${green} ${blue})`, 4];
}

function indexed(index: number): string | undefined {
  if (index < 16) return PALETTE[index];
  if (index > 231) return `rgb(${8 + (index - 232) * 10} ${8 + (index - 232) * 10} ${8 + (index - 232) * 10})`;
  const level = (step: number): number => (step === 0 ? 0 : 55 + step * 40);
  const cube = index - 16;
  return `rgb(${level(Math.floor(cube / 36))} ${level(Math.floor(cube / 6) % 6)} ${level(cube % 6)})`;
}

function without(look: Look, ...names: readonly (keyof Look)[]): Look {
  return Object.fromEntries(Object.entries(look).filter(([name]) => !names.includes(name as keyof Look)));
}
