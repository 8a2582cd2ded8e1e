/** Longer names are dropped, not truncated, because half a name is not a name. Below the limit on meta values. */
const MAX_NAME_LENGTH = 1024;

/** Names of one kind with the line of their first occurrence. */
class SymbolSet {
  readonly #lines = new Map<string, number>();

  /** Adds a name; ignores texts that cannot be names (undefined, blank, too long, with control characters). */
  add(name: string | undefined, line: number): void {
    if (name === undefined || name.length > MAX_NAME_LENGTH) return;
    const clean = name.trim().toWellFormed();
    if (clean === '' || /[\u0000-\u001f\u007f]/.test(clean)) return;
    const known = this.#lines.get(clean);
    if (known === undefined || line < known) this.#lines.set(clean, line);
  }

  /** The names, sorted by UTF-16 units and limited, and the first line of each. */
  first(maxSymbols: number): { names: string[]; lines: Map<string, number> } {
    const names = [...this.#lines.keys()].sort().slice(0, maxSymbols);
    return { names, lines: new Map(names.map((name) => [name, this.#lines.get(name)!])) };
  }
}

/** The three kinds of symbols of a source (contract, "Code documents"). */
export class SymbolSets {
  readonly defines = new SymbolSet();
  readonly uses = new SymbolSet();
  readonly imports = new SymbolSet();
}

/**
 * A piece of source from which symbols are read: a document, or a script or style sheet inside one. `line` is the line
 * of the document on which the piece begins.
 */
export interface Piece {
  readonly source: string;
  readonly line: number;
  /** Path of the document, to resolve imports against. */
  readonly path: string;
}

/** Returns the lines of ascending offsets: `\n` ends a line, as everywhere in the service. */
export class LineCounter {
  readonly #source: string;
  #line: number;
  /** Offset of the `\n` that ends the current line; the source's length on its last line. */
  #end: number;

  constructor({ source, line }: Piece) {
    this.#source = source;
    this.#line = line;
    this.#end = this.#endAfter(0);
  }

  at(offset: number): number {
    while (this.#end < offset) {
      this.#line += 1;
      this.#end = this.#endAfter(this.#end + 1);
    }
    return this.#line;
  }

  #endAfter(start: number): number {
    const end = this.#source.indexOf('\n', start);
    return end < 0 ? this.#source.length : end;
  }
}
