import { allOf, anyOf, combine, not, type QueryNode } from './ast.ts';
import { lex, type Lexeme, MAX_ATOMS, MAX_DISTANCE, MAX_NESTING, QuerySyntaxError,
  QueryTooLargeError } from './lexer.ts';
import { phraseAtom, requireAtMost, type Vocabulary, wordAtom } from './vocabulary.ts';

/** The meaning of two adjacent operands: both are required (expression), or each is optional (boolean). */
type Juxtaposition = 'required' | 'optional';

/** An operand of a sequence, and how it is connected. */
interface Clause {
  readonly node: QueryNode | undefined;
  readonly required: boolean;
}

/**
 * Recursive descent over the grammar of the decisions, section 4.4:
 *
 *     expr = and {"OR" and}         and  = not {["AND"] not}
 *     not  = ["NOT"|"-"|"+"] atom   atom = "(" expr ")" | phrase ["~" INT] | wildcard | term ["~" 0..2]
 *
 * NOT binds most tightly, then AND, then OR. Throws QuerySyntaxError with the position of the first unexpected lexeme,
 * or of the first that exceeds a limit. The depth of the recursion is that of the nesting.
 */
export function parseExpression(query: string, toByte: (offset: number) => number, juxtaposition: Juxtaposition,
  vocabulary: Vocabulary): QueryNode | undefined
{
  return new Parser(lex(query, toByte), toByte, juxtaposition, vocabulary).run();
}

class Parser {
  readonly #lexemes: readonly Lexeme[];
  readonly #toByte: (offset: number) => number;
  readonly #juxtaposition: Juxtaposition;
  readonly #vocabulary: Vocabulary;
  #at = 0;
  #depth = 0;
  #atoms = 0;

  constructor(lexemes: readonly Lexeme[], toByte: (offset: number) => number, juxtaposition: Juxtaposition,
    vocabulary: Vocabulary)
  {
    this.#lexemes = lexemes;
    this.#toByte = toByte;
    this.#juxtaposition = juxtaposition;
    this.#vocabulary = vocabulary;
  }

  run(): QueryNode | undefined {
    if (this.#lexemes.length === 1) return undefined;
    const node = this.#expression();
    if (this.#next.kind !== 'end') this.#fail('this closing parenthesis has no opening one');
    return node;
  }

  #expression(): QueryNode | undefined {
    const start = this.#next.start;
    const alternatives = [this.#sequence()];
    while (this.#take('OR')) alternatives.push(this.#sequence());
    return alternatives.length === 1 ? alternatives[0] : anyOf(alternatives, this.#since(start));
  }

  /** Operands joined by AND or adjacent. */
  #sequence(): QueryNode | undefined {
    const start = this.#next.start;
    const clauses = [this.#clause(false)];
    for (;;) {
      const joined = this.#take('AND');
      if (!joined && !this.#operandFollows()) break;
      // AND requires both of its sides.
      if (joined) clauses.push({ node: clauses.pop()!.node, required: true });
      clauses.push(this.#clause(joined));
    }
    return this.#combine(clauses, start);
  }

  #combine(clauses: readonly Clause[], start: number): QueryNode | undefined {
    const range = this.#since(start);
    if (this.#juxtaposition === 'required') return allOf(clauses.map(({ node }) => node), range);
    const isBound = ({ node, required }: Clause): boolean => required || isExclusion(node);
    return combine(clauses.filter(isBound).map(({ node }) => node),
      clauses.filter((clause) => !isBound(clause)).map(({ node }) => node), range);
  }

  /** An operand with its sign. */
  #clause(joined: boolean): Clause {
    const start = this.#next.start;
    if (this.#take('NOT') || this.#take('-')) {
      const operand = this.#atom();
      return { node: not(operand, this.#since(start)), required: joined };
    }
    const required = this.#take('+') || joined;
    return { node: this.#atom(), required };
  }

  #atom(): QueryNode | undefined {
    const lexeme = this.#next;
    if (lexeme.kind === '(') return this.#parenthesised();
    if (lexeme.kind !== 'phrase' && lexeme.kind !== 'word') this.#failOperand();
    if (++this.#atoms > MAX_ATOMS) this.#failLimit(`more than ${MAX_ATOMS} operands`);
    this.#at++;
    const range = this.#since(lexeme.start);
    if (lexeme.kind === 'phrase') {
      requireAtMost(lexeme.distance ?? 0, MAX_DISTANCE, 'the distance', range.start);
      return phraseAtom(lexeme.text, range, this.#vocabulary, lexeme.distance);
    }
    requireAtMost(lexeme.fuzzy ?? 0, 2, 'the fuzziness', range.start);
    return wordAtom(lexeme.text, range, this.#vocabulary, lexeme.fuzzy as 0 | 1 | 2 | undefined);
  }

  #parenthesised(): QueryNode | undefined {
    const open = this.#next.start;
    if (++this.#depth > MAX_NESTING) this.#failLimit(`parentheses nested deeper than ${MAX_NESTING}`);
    this.#at++;
    const node = this.#expression();
    if (!this.#take(')')) throw new QuerySyntaxError(this.#toByte(open), 'the parenthesis is not closed');
    this.#depth--;
    return node;
  }

  get #next(): Lexeme {
    return this.#lexemes[this.#at]!;
  }

  #take(kind: Lexeme['kind']): boolean {
    if (this.#next.kind !== kind) return false;
    this.#at++;
    return true;
  }

  #operandFollows(): boolean {
    const { kind } = this.#next;
    return kind !== 'end' && kind !== ')' && kind !== 'OR';
  }

  /** The range from a UTF-16 offset to the end of the last lexeme read, in bytes. */
  #since(start: number): { start: number; end: number } {
    return { start: this.#toByte(start), end: this.#toByte(this.#lexemes[this.#at - 1]!.end) };
  }

  #failOperand(): never {
    const { kind } = this.#next;
    return this.#fail(
      `expected a term, a phrase or a parenthesis, got ${kind === 'end' ? 'the end of the query' : kind}`,
    );
  }

  #failLimit(message: string): never {
    throw new QueryTooLargeError(this.#toByte(this.#next.start), message);
  }

  #fail(message: string): never {
    throw new QuerySyntaxError(this.#toByte(this.#next.start), message);
  }
}

function isExclusion(node: QueryNode | undefined): boolean {
  return node?.kind === 'group' && node.required.length === 0 && node.optional.length === 0;
}
