import { type Key, KEY_BYTES, KeyRing } from './key-ring.ts';

export interface KeySettings {
  /** 32 bytes as base64 or 64 hexadecimal digits; empty for none. */
  readonly key: string;
  readonly keyId: number;
  /** `1:base64,…`, or JSON `[{"id":1,"key":"…"}]`; empty for none. */
  readonly previousKeys: string;
}

/** The names of the settings in error messages. */
export interface KeyNames {
  readonly key: string;
  readonly previousKeys: string;
}

const NAMES: KeyNames = { key: 'SVC_ENCRYPTION_KEY', previousKeys: 'SVC_ENCRYPTION_PREVIOUS_KEYS' };
const EXPECTED = `expected ${KEY_BYTES} bytes as base64 (openssl rand -base64 ${KEY_BYTES}) or ${
  2 * KEY_BYTES
} hexadecimal digits`;

/**
 * Returns the key ring that the settings describe, undefined when they contain no key, or the problem with them. No
 * message shows a key.
 */
export function parseKeys({ key, keyId, previousKeys }: KeySettings,
  names: KeyNames = NAMES): { ring: KeyRing | undefined; problems: string[] }
{
  if (key === '') {
    const orphans = previousKeys === ''
      ? []
      : [`${names.previousKeys}: previous keys need a primary one; set ${names.key}`];
    return { ring: undefined, problems: orphans };
  }
  const problems: string[] = [];
  const bytes = parseKey(key);
  if (bytes === undefined) problems.push(`${names.key}: ${EXPECTED}`);
  const previous = parsePrevious(previousKeys, names.previousKeys, problems);
  const ids = [keyId, ...previous.map(({ id }) => id)];
  for (const id of new Set(ids.filter((each, i) => ids.indexOf(each) !== i))) {
    problems.push(
      `${names.previousKeys}: key ${id} is there twice; every key has a number of its own${
        id === keyId ? ', and SVC_ENCRYPTION_KEY_ID is that of the primary one' : ''
      }`,
    );
  }
  return { ring: problems.length > 0 ? undefined : new KeyRing({ id: keyId, bytes: bytes! }, previous), problems };
}

function parsePrevious(text: string, name: string, problems: string[]): Key[] {
  if (text.trim() === '') return [];
  const entries = text.trim().startsWith('[')
    ? jsonEntries(text)
    : text.split(',').filter((part) => part.trim() !== '').map(listEntry);
  if (entries === undefined) {
    problems.push(`${name}: expected 1:base64,… or JSON [{"id":1,"key":"base64"}]`);
    return [];
  }
  return entries.flatMap(({ id, key }, i) => {
    const bytes = typeof key === 'string' ? parseKey(key) : undefined;
    if (bytes !== undefined && isKeyId(id)) return [{ id, bytes }];
    problems.push(
      `${name}: entry ${i + 1}: ${isKeyId(id) ? EXPECTED : 'expected a number from 1 to 255 before the key'}`,
    );
    return [];
  });
}

interface Entry {
  readonly id: unknown;
  readonly key: unknown;
}

function listEntry(part: string): Entry {
  const [, id, key] = /^\s*(\d{1,3})\s*:(.*)$/s.exec(part) ?? [];
  return { id: id === undefined ? undefined : Number(id), key };
}

function jsonEntries(text: string): Entry[] | undefined {
  try {
    const list = JSON.parse(text) as unknown;
    return Array.isArray(list) ? list.map((entry) => (entry ?? {}) as Entry) : undefined;
  } catch {
    return undefined; // the message names the setting and omits the text, which may hold keys
  }
}

function isKeyId(id: unknown): id is number {
  return Number.isInteger(id) && (id as number) >= 1 && (id as number) <= 255;
}

/** Node's decoders ignore invalid characters, so the form is checked first. */
function parseKey(text: string): Uint8Array | undefined {
  const trimmed = text.trim();
  if (/^[0-9a-f]{64}$/i.test(trimmed)) return Buffer.from(trimmed, 'hex');
  if (!/^[A-Za-z0-9+/_-]{43}=?$/.test(trimmed)) return undefined;
  const bytes = Buffer.from(trimmed, 'base64');
  return bytes.length === KEY_BYTES ? bytes : undefined;
}
