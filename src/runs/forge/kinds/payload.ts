import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { ServiceError } from '../../../errors/index.ts';
import { digestInSteps } from '../../../lib/digest.ts';
import { isCommit, isGitRef } from '../../../lib/git-ref.ts';

/*
 * Reading payloads of strangers: a field that is missing, or has another type than documented, is empty. Texts are cut,
 * and U+0000 is replaced, because PostgreSQL stores no text with it.
 */

/** Most characters of a title, a name or an address. */
const LINE = 500;
/** Most characters of a text that people have written. */
export const LONG = 65_536;
const MAX_LIST = 100;

type Mapping = Readonly<Record<string, unknown>>;

const isMapping = (value: unknown): value is Mapping =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The value at a path such as `pull_request.head.sha`; undefined if there is none. */
function at(value: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>(
    (found, name) => (isMapping(found) && Object.hasOwn(found, name) ? found[name] : undefined),
    value,
  );
}

/** The text at a path, empty for none. */
export function textAt(value: unknown, path: string, most = LINE): string {
  const found = at(value, path);
  return typeof found === 'string' ? found.slice(0, most).toWellFormed().replaceAll('\0', '\ufffd') : '';
}

/** The positive whole number at a path, 0 for none. */
export function numberAt(value: unknown, path: string): number {
  const found = at(value, path);
  return typeof found === 'number' && Number.isSafeInteger(found) && found > 0 ? found : 0;
}

export const flagAt = (value: unknown, path: string): boolean => at(value, path) === true;

/** The mapping at a path; undefined for none. */
export function mappingAt(value: unknown, path: string): Mapping | undefined {
  const found = at(value, path);
  return isMapping(found) ? found : undefined;
}

/** Up to 100 items of the list at a path. */
export function listAt(value: unknown, path: string): readonly unknown[] {
  const found = at(value, path);
  return Array.isArray(found) ? found.slice(0, MAX_LIST) : [];
}

/** Full name of a commit; empty for none, which is what the zeros stand for that forges send for a deleted branch. */
export function commitAt(value: unknown, path: string): string {
  const found = textAt(value, path);
  return isCommit(found) && !/^0+$/.test(found) ? found : '';
}

/** The name of a branch or tag. Throws `invalid_input` for a text that cannot be one. */
export function refAt(value: unknown, path: string): string {
  const found = textAt(value, path);
  if (found !== '' && !isGitRef(found)) throw malformed(`${path} is no name of a branch or tag`);
  return found;
}

export const firstLine = (text: string): string => text.split('\n', 1)[0]!.trim();

export const malformed = (message: string): ServiceError => new ServiceError('invalid_input', message);

/** Whether a text is the HMAC-SHA256 of a body, in hexadecimal. */
export async function isHexHmac(given: string | undefined, body: Uint8Array, secret: string): Promise<boolean> {
  return isEqual(given ?? '', (await digestInSteps(createHmac('sha256', secret), body)).toString('hex'));
}

/** The same after `sha256=`. */
export async function isNamedHmac(given: string | undefined, body: Uint8Array, secret: string): Promise<boolean> {
  return given?.startsWith('sha256=') === true && await isHexHmac(given.slice('sha256='.length), body, secret);
}

/** Compares hashes, so that the time tells neither a part of the text nor its length. */
export function isEqual(given: string, expected: string): boolean {
  const [a, b] = [given, expected].map((text) => createHash('sha256').update(text).digest());
  return timingSafeEqual(a!, b!);
}

const [HEADS, TAGS] = ['refs/heads/', 'refs/tags/'];

/** Event and names of a full ref; undefined for refs that are neither branch nor tag. */
export function namesOf(
  ref: string,
): { readonly name: 'push' | 'tag'; readonly branch: string; readonly tag: string } | undefined {
  if (ref.startsWith(HEADS)) return { name: 'push', branch: ref.slice(HEADS.length), tag: '' };
  if (ref.startsWith(TAGS)) return { name: 'tag', branch: '', tag: ref.slice(TAGS.length) };
  return undefined;
}
