import { eqText } from './eq-field.ts';
import { symbolOf } from './symbols.ts';

/** Fields of Word, in DOCX and RTF: an instruction such as `HYPERLINK "https://..." \l "part"`, and its result. */
const MAX_INSTRUCTION = 5000;
const TOKEN = /"([^"]*)"|\\([A-Za-z*@#!])|([^\s"\\]\S*)/g;
/** Switches of HYPERLINK and SYMBOL that are followed by a value. */
const WITH_VALUE = new Set(['l', 'o', 't', 'f', 's']);

interface Instruction {
  readonly kind: string;
  readonly values: readonly string[];
  readonly switches: ReadonlyMap<string, string>;
}

function parse(instruction: string): Instruction {
  const values: string[] = [];
  const switches = new Map<string, string>();
  let open: string | undefined;
  for (const [, quoted, letter, bare] of instruction.slice(0, MAX_INSTRUCTION).matchAll(TOKEN)) {
    const value = (quoted ?? bare)?.replaceAll('\\\\', '\\');
    if (letter !== undefined) {
      switches.set(letter, '');
      open = WITH_VALUE.has(letter) ? letter : undefined;
    } else if (open !== undefined) {
      switches.set(open, value!);
      open = undefined;
    } else values.push(value!);
  }
  return { kind: (values.shift() ?? '').toUpperCase(), values, switches };
}

/** The address of a link; undefined for other fields, and for links to a place in the same document. */
export function linkOfField(instruction: string): string | undefined {
  if (!/hyperlink/i.test(instruction.slice(0, 100))) return undefined;
  const { kind, values, switches } = parse(instruction);
  return kind === 'HYPERLINK' ? addressOf(values[0], switches.get('l')) : undefined;
}

/** An address with a place inside its target; undefined without an address. */
export function addressOf(address: string | undefined, anchor: string | undefined): string | undefined {
  const target = address?.trim() ?? '';
  // A script is no address.
  if (target === '' || /^(?:javascript|vbscript):/i.test(target)) return undefined;
  return anchor === undefined || anchor === '' || target.includes('#') ? target : `${target}#${anchor}`;
}

/** What a field shows whose result is in its instruction, `SYMBOL 252 \f "Wingdings"`; undefined for others. */
export function textOfField(instruction: string): string | undefined {
  const formula = /^\s{0,20}eq\s([^]*)$/i.exec(instruction.slice(0, MAX_INSTRUCTION))?.[1];
  if (formula !== undefined) return eqText(formula);
  const { kind, values, switches } = parse(instruction);
  if (kind !== 'SYMBOL') return undefined;
  const code = Number(values[0]);
  if (!Number.isInteger(code) || code < 0x20 || code > 0xffff) return '';
  const font = switches.get('f');
  return symbolOf(font, code) ||
    (font === undefined ? new TextDecoder('windows-1252').decode(Uint8Array.of(code)) : '');
}
