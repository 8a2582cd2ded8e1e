import { Renderer, type Token, type Tokens } from 'marked';

/** Renders markdown with the line of the text at which each block and item begins, as `data-line`. */
export class LineRenderer extends Renderer {
  readonly #lines = new Map<object, number>();

  constructor(tokens: readonly Token[]) {
    super();
    this.#number(tokens, 1);
  }

  /** The texts of tokens follow each other; those within an item or a quotation have as many lines as it has. */
  #number(tokens: readonly Token[], from: number): void {
    let line = from;
    for (const token of tokens) {
      this.#lines.set(token, line);
      if (token.type === 'list') this.#number((token as Tokens.List).items, line);
      else if (token.type === 'list_item' || token.type === 'blockquote') this.#number(token.tokens ?? [], line);
      line += token.raw.split('\n').length - 1;
    }
  }

  #at(html: string, token: object): string {
    const line = this.#lines.get(token);
    return line === undefined ? html : html.replace(/^<\w+/, (tag) => `${tag} data-line="${line}"`);
  }

  override code(token: Tokens.Code): string {
    return this.#at(super.code(token), token);
  }

  override heading(token: Tokens.Heading): string {
    return this.#at(super.heading(token), token);
  }

  override paragraph(token: Tokens.Paragraph): string {
    return this.#at(super.paragraph(token), token);
  }

  override listitem(token: Tokens.ListItem): string {
    return this.#at(super.listitem(token), token);
  }

  override table(token: Tokens.Table): string {
    return this.#at(super.table(token), token);
  }
}
