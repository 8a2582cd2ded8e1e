import { ServiceError } from '../../../errors/index.ts';

/** Rules for new passwords; stored passwords are not affected. */
export interface PasswordRules {
  /** Minimum number of characters. */
  readonly minLength: number;
}

/**
 * Words at the top of lists of stolen passwords, usually with digits or signs around them. A password that consists of
 * such a word alone is among the first that an attacker tries.
 */
const COMMON: ReadonlySet<string> = new Set(['password', 'passwort', 'passphrase', 'letmein', 'welcome', 'changeme',
  'changeit', 'secret', 'default', 'admin', 'administrator', 'root', 'login', 'qwerty', 'qwertyuiop', 'qwertz',
  'asdfghjkl', 'iloveyou', 'monkey', 'dragon', 'football', 'baseball', 'superman', 'batman', 'sunshine', 'princess',
  'trustno', 'master', 'shadow', 'michael', 'charlie', 'computer', 'internet', 'starwars', 'whatever', 'freedom',
  'hello', 'test', 'testtest', 'guest', 'quire']);

/** Signs that stand for letters. */
const LEET: Readonly<Record<string, string>> = {
  0: 'o',
  1: 'i',
  3: 'e',
  4: 'a',
  5: 's',
  7: 't',
  '@': 'a',
  $: 's',
  '!': 'i',
};

const RUNS = ['0123456789012345678901234567890', 'abcdefghijklmnopqrstuvwxyz', 'qwertyuiopasdfghjklzxcvbnm'];

/**
 * Throws `invalid_argument`, naming the field, for a password that the rules refuse; without rules every password is
 * accepted. The rules are those of NIST SP 800-63B, section 5.1.1.2: a minimum length, and no names, repetitions,
 * sequences or common passwords; no rules about kinds of characters.
 */
export function requireGoodPassword(field: string, password: string, username: string,
  rules: PasswordRules | undefined): void
{
  const problem = rules && problemOf(password, username, rules.minLength);
  if (problem !== undefined) throw new ServiceError('invalid_argument', `${field} ${problem}`);
}

function problemOf(password: string, username: string, minLength: number): string | undefined {
  const { length } = [...password];
  if (length < minLength) return `must have at least ${minLength} characters, got ${length}`;
  const text = password.toLowerCase();
  const name = username.toLowerCase();
  if (text === name || text === [...name].reverse().join('')) return 'must not be the user name';
  if (isRepetition(text)) return 'must not repeat the same few characters';
  if (RUNS.some((run) => run.includes(text) || [...run].reverse().join('').includes(text)))
    return 'must not be a sequence of neighbouring characters';
  const words = [text, upToLastLetter(text).replace(/[013457@$!]/g, (sign) => LEET[sign]!)].map((each) =>
    each.replace(/[^\p{L}]/gu, '')
  );
  if (words.some((word) => COMMON.has(word) || word === name))
    return 'is too common; choose one that nobody else would';
  return undefined;
}

/** The password without digits and signs at its end, which add little to guess. */
function upToLastLetter(text: string): string {
  const characters = [...text];
  return characters.slice(0, characters.findLastIndex((character) => /\p{L}/u.test(character)) + 1).join('');
}

/** Whether a repeated piece of at most three characters makes up the whole. */
function isRepetition(text: string): boolean {
  const characters = [...text];
  return characters.length > 3 &&
    [1, 2, 3].some((period) => characters.every((character, i) => character === characters[i % period]));
}
