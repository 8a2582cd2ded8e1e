import { MAX_DEPTH, tooDeep } from '../limits.ts';
import { Cursor } from './cursor.ts';

/** Environments of pseudocode; `algorithm` only if its statements are its own, which those of algorithm2e are. */
export function isAlgorithm(name: string, source: () => string): boolean {
  if (/^algorithm(?:ic|2e)\*?$/.test(name) || name === 'pseudocode') return true;
  if (!/^(?:algorithm|procedure|function)\*?$/.test(name)) return false;
  const content = source();
  return /\\;|\\Kw[A-Z]/.test(content) && !content.includes('\\begin{algorithmic');
}

/** Words around the condition of a statement; `{}` is its argument, and a second one for functions. */
interface Statement {
  readonly words: string;
  /** `in` indents what follows, `out` ends an indentation, `both` does both. */
  readonly step?: 'in' | 'out' | 'both';
}

const STATEMENTS: ReadonlyMap<string, Statement> = new Map<string, Statement>([['state', { words: '' }], ['statex', {
  words: '',
}], ['if', { words: 'if {} then', step: 'in' }], ['elsif', { words: 'else if {} then', step: 'both' }], ['elseif', {
  words: 'else if {} then',
  step: 'both',
}], ['else', { words: 'else', step: 'both' }], ['endif', { words: 'end if', step: 'out' }], ['for', {
  words: 'for {} do',
  step: 'in',
}], ['forall', { words: 'for all {} do', step: 'in' }], ['foreach', { words: 'for each {} do', step: 'in' }], ['endfor',
  { words: 'end for', step: 'out' }], ['while', { words: 'while {} do', step: 'in' }], ['endwhile', {
  words: 'end while',
  step: 'out',
}], ['repeat', { words: 'repeat', step: 'in' }], ['until', { words: 'until {}', step: 'out' }], ['loop', {
  words: 'loop',
  step: 'in',
}], ['endloop', { words: 'end loop', step: 'out' }], ['function', { words: 'function {}({})', step: 'in' }], [
  'endfunction',
  { words: 'end function', step: 'out' },
], ['procedure', { words: 'procedure {}({})', step: 'in' }], ['endprocedure', {
  words: 'end procedure',
  step: 'out',
}], ['require', { words: 'Require: ' }], ['ensure', { words: 'Ensure: ' }], ['input', { words: 'Input: ' }], ['output',
  { words: 'Output: ' }], ['kwin', { words: 'Input: ' }], ['kwout', { words: 'Output: ' }], ['kwdata', {
  words: 'Data: ',
}], ['kwresult', { words: 'Result: ' }], ['print', { words: 'print ' }], ['globals', { words: 'Globals: ' }]]);
/** Words within a line, of which those in capitals belong to the package algorithmic. */
const WORDS: ReadonlyMap<string, string> = new Map(
  ['AND', 'OR', 'NOT', 'XOR', 'TRUE', 'FALSE', 'TO', 'Break', 'Continue', 'True', 'False', 'And', 'Or', 'Not', 'To']
    .map((word) => [word, word.toLowerCase()]),
);
/** Statements of algorithm2e whose body is an argument. */
const WITH_BODY: ReadonlySet<string> = new Set(['if', 'elseif', 'else', 'for', 'forall', 'foreach', 'while', 'repeat',
  'function', 'procedure']);
const SETTINGS = /^(?:Set[A-Z]|DontPrint|Lines|BlankLine|AlgoLined|algsetup|algrenewcommand|algnewcommand|Indp|Indm)/;
const SPACES = '  ';

/** The lines of pseudocode as source, indented by their blocks, and its captions. */
export class AlgorithmLines {
  readonly lines: string[] = [];
  readonly captions: string[] = [];
  #indent = 0;
  #line = '';

  /** Adds the statements of a source: of algorithmic, algpseudocode or algorithm2e. */
  read(source: string, depth = 0): void {
    if (depth > MAX_DEPTH / 4) throw tooDeep('blocks of an algorithm');
    const cursor = new Cursor(source);
    while (!cursor.done) {
      const plain = cursor.take(/(?:[^\\%{}$]|\\[^a-zA-Z;\\]|\$(?:\\[^]|[^\\$])*\$)+/y);
      if (plain !== undefined) this.#line += plain.replace(/\s+/g, ' ');
      else if (cursor.take(/\\[;\\]/y) !== undefined) this.#end();
      else if (cursor.take(/%/y) !== undefined) {
        cursor.at -= 1;
        cursor.skipComment();
      } else if (cursor.text[cursor.at] === '{') this.#line += `{${cursor.argument()}}`;
      else {
        const name = cursor.take(/\\[a-zA-Z@]+/y)?.slice(1);
        if (name !== undefined) this.#macro(name, cursor, depth);
        else this.#line += cursor.take(/[^]/y);
      }
    }
    this.#end();
  }

  #end(): void {
    const line = this.#line.trim();
    if (line !== '') this.lines.push(SPACES.repeat(Math.min(this.#indent, 40)) + line);
    this.#line = '';
  }

  #macro(name: string, cursor: Cursor, depth: number): void {
    const statement = STATEMENTS.get(keyOf(name));
    if (statement !== undefined) this.#statement(name, statement, cursor, depth);
    else if (name === 'eIf') this.#branches(cursor, depth);
    else if (/^(?:return|kwret)$/i.test(name)) {
      this.#line += ' return ';
      cursor.skipBlank();
    } else if (WORDS.has(name)) this.#line += ` ${WORDS.get(name)!} `;
    else if (name === 'Call') this.#line += `${cursor.argument()}(${cursor.argument()})`;
    else if (/^(?:comment|tcp|tcc|linecomment)$/i.test(name)) {
      cursor.star();
      this.#line += ` // ${cursor.argument()}`;
      if (/^tc/.test(name)) this.#end();
    } else if (name === 'caption') {
      cursor.optional();
      this.captions.push(cursor.argument());
    } else if (name === 'label') cursor.argument();
    else if (SETTINGS.test(name)) { while (cursor.text[cursor.at] === '{') cursor.argument(); }
    else this.#line += `\\${name}${cursor.take(/[ \t]+/y) === undefined ? '' : ' '}`;
  }

  #statement(name: string, { words, step }: Statement, cursor: Cursor, depth: number): void {
    this.#end();
    if (/state/i.test(name)) cursor.optional();
    const text = words.replaceAll('{}', () => cursor.argument().trim());
    const opens = step === 'in' || step === 'both';
    const remark = opens ? this.#remark(cursor) : '';
    const key = keyOf(name);
    const braces = opens && WITH_BODY.has(key) && cursor.text[cursor.at] === '{';
    if (step === 'out' || (step === 'both' && !braces)) this.#indent = Math.max(0, this.#indent - 1);
    const condition = key === 'repeat' && braces ? cursor.argument().trim() : undefined;
    this.#line = text + remark;
    if (step === undefined) return;
    this.#end();
    if (!opens) return;
    this.#indent += 1;
    if (!braces) return;
    this.#body(cursor, depth);
    // `\Repeat{condition}{body}`
    if (condition !== undefined) this.#whole(`until ${condition}`);
  }

  /** A comment after a condition stays on its line. */
  #remark(cursor: Cursor): string {
    cursor.take(/\s*/y);
    return cursor.take(/\\(?:Comment|COMMENT)(?![a-zA-Z])/y) === undefined ? '' : ` // ${cursor.argument()}`;
  }

  /** A body in braces, after which the indentation ends. */
  #body(cursor: Cursor, depth: number): void {
    this.read(cursor.argument(), depth + 1);
    this.#indent -= 1;
  }

  /** `\eIf{condition}{body}{body}` */
  #branches(cursor: Cursor, depth: number): void {
    this.#whole(`if ${cursor.argument().trim()} then`);
    for (const after of ['else', '']) {
      this.#indent += 1;
      this.#body(cursor, depth);
      if (after !== '') this.#whole(after);
    }
  }

  #whole(line: string): void {
    this.#end();
    this.#line = line;
    this.#end();
  }
}

/** The name of a statement in algorithmic; algorithm2e has variants such as `\uIf` and `\lFor`. */
function keyOf(name: string): string {
  return name.toLowerCase().replace(/^[ul](?=if|else|for|while)/, '');
}
