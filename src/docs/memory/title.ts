import { proseOf, sentencesOf } from './summary/sentences.ts';

/** Maximum number of characters of a title that is made from a message (decisions section 4.7). */
const MAX_CHARACTERS = 60;
/** Maximum length of the text in which the first sentence of a message is searched for. */
const LOOKED_AT = 4096;

/** The title of a session before the first message of its user: its purpose, and its start in UTC. */
export function madeUpTitle(scenario: string, now: number): string {
  const time = new Date(now * 1000).toISOString().slice(0, 16).replace('T', ' ');
  return `${scenario || 'Conversation'} · ${time}`;
}

/**
 * The first sentence of a message, truncated if it is long; undefined when the message has no text besides code and
 * quotes.
 */
export function titleOf(content: string): string | undefined {
  const [first] = sentencesOf(proseOf(content.slice(0, LOOKED_AT).toWellFormed()));
  return first && shorten(first, MAX_CHARACTERS);
}

let segmenter: Intl.Segmenter | undefined;

/** At most this many code points, truncated between two grapheme clusters, with an ellipsis as the last. */
export function shorten(text: string, characters: number): string {
  if (text.length <= characters || [...text].length <= characters) return text;
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  let kept = '';
  let room = characters - 1;
  for (const { segment } of segmenter.segment(text)) {
    room -= [...segment].length;
    if (room < 0) break;
    kept += segment;
  }
  return `${kept.trimEnd()}…`;
}
