/** Maximum length of a construct in bytes, so that text with many unclosed ones takes linear time. */
const LIMIT = 1000;

/**
 * Markdown without its markup, for embedding: a space for each byte of it, so that positions remain; newlines stay.
 * Markup is: fenced code (CommonMark section 4.5), the marks of headings and quotations, emphasis, backticks, brackets
 * and targets of links, HTML tags, comments and entities, URLs, the lines between the cells of tables, and macros of
 * templates such as `{{name("a")}}`, except their last quoted text. This is the reference; `withoutMarkup` of the
 * kernels returns the same.
 */
export function withoutMarkup(text: string): string {
  // One character for each byte.
  const bytes = Buffer.from(text).toString('latin1');
  let plain = '';
  let fence: { readonly character: string; readonly length: number } | undefined;
  while (plain.length < bytes.length) {
    const line = lineAt(bytes, plain.length);
    const [begin = '', marks = ''] = /^ {0,3}(`{3,}|~{3,})/.exec(line) ?? [];
    const rest = line.slice(begin.length);
    if (fence !== undefined) {
      if (marks[0] === fence.character && marks.length >= fence.length && /^[ \t\v\f\r]*$/.test(rest))
        fence = undefined;
      plain += blank(line);
    } else if (marks !== '' && (marks[0] === '~' || !rest.includes('`'))) {
      fence = { character: marks[0]!, length: marks.length };
      plain += blank(line);
    } else {
      const [, indent, marker] = /^([ \t\v\f\r]*)((?:>[ \t\v\f\r]*)*(?:#{1,6}(?=[ \t\v\f\r]|$))?)/.exec(
        line,
      ) as unknown as [string, string, string];
      plain += indent + blank(marker);
      while (plain.length < bytes.length && bytes[plain.length] !== '\n') plain += constructAt(bytes, plain.length);
    }
    if (plain.length < bytes.length) plain += '\n';
  }
  return Buffer.from(plain, 'latin1').toString();
}

/** What replaces the construct, or otherwise the character, at a position. */
function constructAt(bytes: string, at: number): string {
  const ahead = bytes.slice(at, at + LIMIT);
  const line = lineAt(ahead, 0);
  switch (ahead[0]!) {
    case '`':
      return withoutBackticks(/^`+/.exec(lineAt(bytes, at))![0], line);
    case '{':
      return withoutMacro(ahead);
    case ']':
      return blank(targetOf(line) ?? ']');
    case '<':
      return blankOr(/^(?:<!--[^]*?-->|<\/?[A-Za-z][^<>]*>)/, ahead);
    case '&':
      return blankOr(/^&#?[A-Za-z0-9]{1,31};/, ahead);
    case 'h':
      return blankOr(/^https?:\/\/[^ \t\n\v\f\r<>)\]]*/, lineAt(bytes, at));
    case '!':
      return ahead[1] === '[' ? ' ' : '!';
    case '*':
    case '[':
    case '_':
    case '|':
      return ' ';
    default:
      return ahead[0]!;
  }
}

function blankOr(construct: RegExp, ahead: string): string {
  const found = construct.exec(ahead)?.[0];
  return found === undefined ? ahead[0]! : blank(found);
}

/** The code up to a run of equally many backticks stays. */
function withoutBackticks(run: string, line: string): string {
  const close = line.slice(run.length).matchAll(/`+/g).find(([other]) => other.length === run.length);
  return close === undefined ? blank(run) : blank(run) + line.slice(run.length, run.length + close.index) + blank(run);
}

function withoutMacro(ahead: string): string {
  const [macro, inner = ''] = /^\{\{([^{}]*)\}\}/.exec(ahead) ?? [];
  if (macro === undefined) return ahead[0]!;
  const quoted = [...inner.matchAll(/"([^"]*)(?:"|$)|'([^']*)(?:'|$)/g)].filter(([all]) =>
    all.length > 2 && all.at(-1) === all[0]
  ).at(-1);
  if (quoted === undefined) return blank(macro);
  const start = 2 + quoted.index + 1;
  const end = start + quoted[0].length - 2;
  return blank(macro.slice(0, start)) + macro.slice(start, end) + blank(macro.slice(end));
}

/** `]` and the parentheses behind it; undefined if they do not end within the line. */
function targetOf(line: string): string | undefined {
  if (line[1] !== '(') return undefined;
  let depth = 0;
  for (let to = 1; to < line.length; to++) {
    if (line[to] === '(') depth += 1;
    else if (line[to] === ')' && --depth === 0) return line.slice(0, to + 1);
  }
  return undefined;
}

function lineAt(bytes: string, at: number): string {
  const newline = bytes.indexOf('\n', at);
  return bytes.slice(at, newline < 0 ? bytes.length : newline);
}

function blank(bytes: string): string {
  return bytes.replace(/[^\n]/g, ' ');
}
