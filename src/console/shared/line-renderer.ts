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

  /** Each line of the code has its own, because a block may be longer than the page. */
  override code(token: Tokens.Code): string {
    const html = super.code(token);
    const from = this.#lines.get(token);
    const [start, end] = [html.indexOf('>', html.indexOf('<code')) + 1, html.lastIndexOf('</code>')];
    if (from === undefined || end < start) return html;
    const first = token.codeBlockStyle === 'indented' ? from : from + 1;
    const lines = html.slice(start, end).replace(/\n$/, '').split('\n');
    const numbered = lines.map((line, index) => `<span data-line="${first + index}">${line}</span>`).join('\n');
    return this.#at(`${html.slice(0, start)}${numbered}\n${html.slice(end)}`, token);
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
