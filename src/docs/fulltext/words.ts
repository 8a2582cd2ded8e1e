import { ServiceError } from '../../errors/index.ts';
import { formsOf } from '../../text/tokenize.ts';

/** A word or phrase of a dictionary as it is stored and shown: one text for all its Unicode representations. */
export function normalizeWord(word: string): string {
  return word.normalize('NFC').trim().replace(/\s+/gu, ' ').toLowerCase();
}

/** The indexed form of a word, or several forms with spaces between them; empty when it has no letter and no digit. */
export function toForm(word: string): string {
  return formsOf(word).join(' ');
}

/** Throws `invalid_argument` for a word that no text can contain. `field` names it in the message. */
export function requireToken(word: string, field: string): void {
  if (toForm(word) === '') throw new ServiceError('invalid_argument', `${field} must contain a letter or a digit`);
}
