import type { PageContext } from './context.ts';
import { Frame } from './frames.ts';
import { readTag, type TagReader } from './tags.ts';
import { expandTemplate } from './templates.ts';

/** Maximum nesting depth of templates; deeper ones stay as written. */
const MAX_DEPTH = 40;

const [BRACE, END_BRACE, BRACKET, END_BRACKET, BAR, EQUALS, LESS] = [0x7b, 0x7d, 0x5b, 0x5d, 0x7c, 0x3d, 0x3c];

/**
 * Wikitext without templates, comments and tags whose content is not wikitext: each is replaced by equivalent wikitext,
 * by a mark, or by nothing. It takes one pass; unpaired braces stay text.
 */
export function expand(text: string, context: PageContext): string {
  return new Expansion(text, context).run();
}

class Expansion {
  readonly #text: string;
  readonly #context: PageContext;
  readonly #tags: TagReader;
  readonly #frames: Frame[] = [];
  #out = '';

  constructor(text: string, context: PageContext) {
    this.#text = text;
    this.#context = context;
    this.#tags = readTag(text, context, (inner) => expand(inner, context));
  }

  run(): string {
    const text = this.#text;
    let from = 0;
    for (let at = 0; at < text.length;) {
      const code = text.charCodeAt(at);
      const isMarkup = code === LESS || code === BRACE ||
        (this.#frames.length > 0 &&
          (code === END_BRACE || code === BAR || code === BRACKET || code === END_BRACKET || code === EQUALS));
      const end = isMarkup ? this.#step(code, at, from) : -1;
      if (end < 0) at++;
      else from = at = end;
    }
    this.#add(text.slice(from));
    while (this.#frames.length > 0) this.#add(this.#frames.pop()!.literal());
    return this.#out;
  }

  /**
   * Reads the construct at a position, together with the text before it from `from` on; returns its end, or -1 if it is
   * only text.
   */
  #step(code: number, at: number, from: number): number {
    if (code === LESS) return this.#tag(at, from);
    if (code === BRACE) return this.#open(at, from);
    const top = this.#frames.at(-1)!;
    if (code === END_BRACE) return this.#close(top, at, from);
    if (code === BRACKET || code === END_BRACKET) {
      if (this.#text.charCodeAt(at + 1) !== code) return -1;
      if (code === BRACKET) top.links++;
      else if (top.links > 0) top.links--;
      this.#add(this.#text.slice(from, at + 2));
      return at + 2;
    }
    if (top.links > 0) return -1;
    this.#add(this.#text.slice(from, at));
    if (code === BAR) top.divide();
    else top.equals();
    return at + 1;
  }

  #open(at: number, from: number): number {
    const run = this.#run(at, BRACE);
    if (run < 2) return -1;
    this.#add(this.#text.slice(from, at));
    // The outermost come first: of five braces, two belong to a template and three to a parameter.
    for (let left = run; left > 0;) {
      const braces = left === 3 ? 3 : 2;
      if (left < 2 || this.#frames.length >= MAX_DEPTH) {
        this.#add('{'.repeat(left));
        break;
      }
      this.#frames.push(new Frame(braces));
      left -= braces;
    }
    return at + run;
  }

  #close(top: Frame, at: number, from: number): number {
    const run = this.#run(at, END_BRACE);
    if (run < 2) return -1;
    this.#add(this.#text.slice(from, at));
    if (top.braces === 3 && run >= 3) {
      this.#frames.pop();
      this.#add(parameter(top));
      return at + 3;
    }
    this.#frames.pop();
    const { name, rest } = top.finish();
    this.#add((top.braces === 3 ? '{' : '') + expandTemplate(name, rest, this.#context));
    return at + 2;
  }

  #tag(at: number, from: number): number {
    const tag = this.#tags(at);
    if (tag === undefined) return -1;
    this.#add(this.#text.slice(from, at));
    this.#add(tag.text);
    return tag.end;
  }

  #run(at: number, code: number): number {
    let end = at;
    while (this.#text.charCodeAt(end) === code) end++;
    return end - at;
  }

  #add(text: string): void {
    const top = this.#frames.at(-1);
    if (top === undefined) this.#out += text;
    else top.add(text);
  }
}

/** A page that is not a template has no arguments, so the default applies. */
function parameter(frame: Frame): string {
  const { rest: [first] } = frame.finish();
  return first === undefined ? '' : first.name === undefined ? first.value : `${first.name}=${first.value}`;
}
