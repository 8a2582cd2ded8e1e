import type { Site } from '../site.ts';
import { blocks } from './blocks.ts';
import { PageContext } from './context.ts';
import { expand } from './expand.ts';
import { inline, plainText } from './inline.ts';
import { fieldKey } from './templates.ts';
import { cleanText } from './writer.ts';

/** A page of wikitext as markdown, with its metadata. */
export interface WikitextPage {
  readonly contentMd: string;
  /** Names of its categories, in order. */
  readonly categories: readonly string[];
  /** Fields of its infoboxes as plain text, by a name of letters, digits and `_`; `''` is the kind of box. */
  readonly infobox: ReadonlyMap<string, string>;
}

const LONGEST_FIELD = 1000;

/**
 * Wikitext as markdown. The time is proportional to the length of any text; unpaired markup stays text. Templates are
 * not executed, because a dump does not say what they do: templates that carry text are replaced by it, the others are
 * dropped.
 */
export function wikitextToMarkdown(wikitext: string, title: string, site: Site): WikitextPage {
  const context = new PageContext(title, site);
  const body = blocks(expand(cleanText(wikitext), context), context);
  const notes = context.hasNotes ? footnotes(context) : [];
  const infobox = new Map<string, string>();
  for (const [field, text] of context.infobox) addField(infobox, field, text, context);
  return { contentMd: [...body, ...notes].join('\n\n'), categories: [...context.categories], infobox };
}

function footnotes(context: PageContext): string[] {
  const notes: string[] = [];
  for (const [number, text] of context.notes.entries()) {
    if (text === undefined) continue;
    const words = text.split('\n').map((line) => inline(line.replace(/^[*#:;]{1,20}/, ' '), context).trim()).filter((
      line,
    ) => line !== '').join(' ');
    notes.push(`[^${number}]: ${words}`);
  }
  return notes.length === 0 ? [] : [notes.join('\n')];
}

function addField(fields: Map<string, string>, name: string, text: string, context: PageContext): void {
  const key = name === '' ? '' : fieldKey(name);
  const value = plainText(text, context).split('\n').map((line) => line.trim()).filter((line) => line !== '').join(', ')
    .slice(0, LONGEST_FIELD).toWellFormed();
  if (value !== '' && (key !== '' || name === '') && !fields.has(key)) fields.set(key, value);
}
