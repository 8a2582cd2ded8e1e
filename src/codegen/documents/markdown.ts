/** The link targets in a markdown page, and its own links. */
export interface MarkdownPage {
  /** Valid fragments: headings as GitHub names them, and explicit ids. */
  readonly anchors: ReadonlySet<string>;
  /** Texts below numbered headings, in order. */
  readonly sections: readonly Section[];
  readonly links: readonly Link[];
}

export interface Section {
  /** As in `## 4. Endpoints` or `### 4.3 Vector search`. */
  readonly number: string;
  /** The heading and all lines up to the next numbered one. */
  readonly text: string;
}

interface Link {
  readonly target: string;
  /** Counted from 1. */
  readonly line: number;
}

const FENCE = /^ {0,3}(```|~~~)/;
const HEADING = /^(#{1,6}) +(.*)$/;
const NUMBER = /^(\d+(?:\.\d+)*)\.?(?: |$)/;
const EXPLICIT_ID = /<a id="([^"]+)"><\/a>/g;
const CODE_SPAN = /(`+)(?:(?!\1).)*\1/g;
const INLINE_LINK = /\]\(<?([^)\s>]+)>?(?: "[^"]*")?\)/g;
const REFERENCE = /^ {0,3}\[[^\]]+\]: +(\S+)/;

/** Reads a page. Headings and links in fenced code, and links in code spans, are ignored. */
export function readMarkdown(text: string): MarkdownPage {
  const slugs = new Slugs();
  const anchors = new Set<string>();
  const sections: { number: string; text: string }[] = [];
  const links: Link[] = [];
  for (const { content, line, isCode } of linesOf(text)) {
    const title = isCode ? undefined : HEADING.exec(content)?.[2];
    if (title !== undefined) {
      anchors.add(slugs.next(title));
      const number = NUMBER.exec(title)?.[1];
      if (number !== undefined) sections.push({ number, text: '' });
    }
    const section = sections.at(-1);
    if (section !== undefined) section.text += `${content}\n`;
    if (isCode) continue;
    for (const [, id] of content.matchAll(EXPLICIT_ID)) anchors.add(id!);
    for (const target of targetsOf(content)) links.push({ target, line });
  }
  return { anchors, sections, links };
}

interface Line {
  readonly content: string;
  readonly line: number;
  readonly isCode: boolean;
}

/** The lines of a page, and whether they are fenced code. */
export function* linesOf(text: string): Generator<Line> {
  let fence: string | undefined;
  for (const [i, content] of text.split('\n').entries()) {
    const mark = FENCE.exec(content)?.[1];
    yield { content, line: i + 1, isCode: fence !== undefined || mark !== undefined };
    if (fence === undefined) fence = mark;
    else if (mark === fence) fence = undefined;
  }
}

function targetsOf(line: string): string[] {
  const prose = line.replaceAll(CODE_SPAN, '');
  const reference = REFERENCE.exec(prose)?.[1];
  return [...[...prose.matchAll(INLINE_LINK)].map(([, target]) => target!),
    ...(reference === undefined ? [] : [reference])];
}

/** The fragments of headings, as in GitHub: a repeated one gets a number. */
class Slugs {
  readonly #seen = new Map<string, number>();

  next(title: string): string {
    const slug = slugOf(title);
    const times = this.#seen.get(slug) ?? 0;
    this.#seen.set(slug, times + 1);
    return times === 0 ? slug : `${slug}-${times}`;
  }
}

function slugOf(title: string): string {
  const plain = title.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll(/<[^>]*>/g, '');
  return plain.trim().toLowerCase().replaceAll(/[^\p{L}\p{M}\p{N}_ -]/gu, '').replaceAll(' ', '-');
}
