import { proseOf } from './summary/prose-of.ts';
import { sentencesOf } from './summary/sentences.ts';

/** Characters of a title that is made of a message (decisions section 4.7). */
const MAX_CHARACTERS = 60;
/** As much of a message as its first sentence is looked for in. */
const LOOKED_AT = 4096;

/** The title of a session until its user has spoken: what it is for, and when it began in UTC. */
export function madeUpTitle(scenario: string, now: number): string {
  const time = new Date(now * 1000).toISOString().slice(0, 16).replace('T', ' ');
  return `${scenario || 'Conversation'} · ${time}`;
}

/** The first sentence of a message, cut where it is long; undefined when it says nothing beside code and quotes. */
export function titleOf(content: string): string | undefined {
  const [first] = sentencesOf(proseOf(content.slice(0, LOOKED_AT).toWellFormed()));
  return first && shorten(first, MAX_CHARACTERS);
}

let segmenter: Intl.Segmenter | undefined;

/** At most so many code points, cut at a character boundary as a reader sees it, with an ellipsis as the last. */
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
