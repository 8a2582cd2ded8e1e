import { readFile } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { didYouMean } from '../../../lib/did-you-mean.ts';
import { UsageError } from '../shared/command-error.ts';
import type { Field } from './fields.ts';

/**
 * Parses the value of a field from texts, one for each occurrence of its option on the command line. A text `@FILE` or
 * `@-` stands for the contents of the file or of standard input; `@@` begins a text with `@`.
 * @throws {UsageError} if a text is not valid.
 */
export async function valueOf(field: Field, texts: readonly string[], stdin: Readable): Promise<unknown> {
  if (field.kind === 'file') return texts.at(-1)!;
  const read = await Promise.all(texts.map((text) => textOf(text, `--${field.flag}`, stdin)));
  switch (field.kind) {
    case 'strings':
      return read.flatMap((text) => listOf(text, field));
    case 'map':
    case 'lists':
      return read.map((text) => mapOf(text, field)).reduce((all, some) => joined(all, some));
    default:
      return scalarOf(field, read.at(-1)!);
  }
}

/** The text of an argument, of a file or of standard input. */
async function textOf(text: string, name: string, stdin: Readable): Promise<string> {
  if (text.startsWith('@@')) return text.slice(1);
  return text.startsWith('@') ? (await bytesOf(text.slice(1), name, stdin)).toString('utf8') : text;
}

/**
 * The contents of a file, or of standard input for `-`.
 * @throws {UsageError} if the file cannot be read.
 */
export async function bytesOf(file: string, name: string, stdin: Readable): Promise<Buffer> {
  if (file !== '-') {
    return readFile(file).catch((error: Error) => {
      throw new UsageError(`${name}: ${error.message}`, { cause: error });
    });
  }
  const chunks: Buffer[] = [];
  for await (const chunk of stdin) chunks.push(Buffer.from(chunk as Buffer | string));
  return Buffer.concat(chunks);
}

function scalarOf(field: Field, text: string): unknown {
  const { kind, flag, choices } = field;
  if (choices !== undefined && !choices.includes(text))
    throw new UsageError(`--${flag} ${text}: expected one of ${choices.join(', ')}${didYouMean(text, choices)}`);
  if (kind === 'integer' && !/^-?\d+$/.test(text)) throw new UsageError(`--${flag} ${text}: expected a whole number`);
  if (kind === 'integer' || kind === 'number') {
    const value = Number(text);
    if (text.trim() === '' || !Number.isFinite(value)) throw new UsageError(`--${flag} ${text}: expected a number`);
    return value;
  }
  if (kind === 'json') return jsonOf(text, flag);
  if (kind !== 'loose') return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

function jsonOf(text: string, flag: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new UsageError(`--${flag}: expected JSON, or @FILE with it: ${(error as Error).message}`, { cause: error });
  }
}

/** JSON if it begins like a list, otherwise texts separated by commas. */
function listOf(text: string, field: Field): string[] {
  const list = text.trimStart().startsWith('[')
    ? jsonOf(text, field.flag) as string[]
    : text.split(',').map((part) => part.trim()).filter((part) => part !== '');
  const { choices, flag } = field;
  const wrong = choices === undefined ? undefined : list.find((each) => !choices.includes(each));
  if (wrong !== undefined)
    throw new UsageError(`--${flag} ${wrong}: expected some of ${choices!.join(', ')}${didYouMean(wrong, choices!)}`);
  return list;
}

/** JSON if it begins like an object, otherwise one pair `key=value`; only the first `=` separates. */
function mapOf(text: string, field: Field): Record<string, unknown> {
  if (text.trimStart().startsWith('{')) return jsonOf(text, field.flag) as Record<string, unknown>;
  const at = text.indexOf('=');
  if (at < 1) throw new UsageError(`--${field.flag} ${text}: expected key=value or a JSON object`);
  const value = text.slice(at + 1);
  return { [text.slice(0, at)]: field.kind === 'lists' ? [value] : value };
}

/** Lists for the same key are joined; of other values the last one is used. */
function joined(all: Record<string, unknown>, some: Record<string, unknown>): Record<string, unknown> {
  const result = { ...all };
  for (const [key, value] of Object.entries(some)) {
    const before = Object.hasOwn(all, key) ? all[key] : undefined;
    result[key] = Array.isArray(before) && Array.isArray(value)
      ? [...before as unknown[], ...value as unknown[]]
      : value;
  }
  return result;
}
