import { type Command, Option } from 'commander';
import type { Field } from './fields.ts';

/** Options that every client command already has: a field with the same name gets the prefix `field-`. */
const TAKEN = new Set(['url', 'api-key', 'token', 'profile', 'json', 'ndjson', 'quiet', 'color', 'yes', 'all', 'body',
  'help', 'version', 'output', 'paginate']);

const SHORT: Readonly<Record<string, string>> = { collection: '-c, ', lang: '-l, ' };

/** The first sentence of a description. */
const firstSentence = (text: string): string => /^.*?[.:;](?=\s|$)/s.exec(text)?.[0].replace(/[.:;]$/, '') ?? text;

/** An option whose value is stored under the name of its field. */
class FieldOption extends Option {
  readonly #field: string;

  constructor(flags: string, description: string, field: string) {
    super(flags, description);
    this.#field = field;
  }

  override attributeName(): string {
    return attributeOf(this.#field);
  }
}

/** Chosen so that it does not conflict with other options. */
export const attributeOf = (field: string): string => `field:${field}`;

/** The option of a field, without its dashes. */
export const flagNameOf = ({ flag }: Field): string => (TAKEN.has(flag) ? `field-${flag}` : flag);

/**
 * Adds the option of a field to a command; its texts are collected in a list, because they are parsed when all are
 * known.
 */
export function addFieldOption(command: Command, field: Field): void {
  const flag = flagNameOf(field);
  const description = describe(field);
  if (field.kind === 'boolean') {
    command.addOption(new FieldOption(`--${flag}`, description, field.name));
    const off = new FieldOption(`--no-${flag}`, `not: ${description}`, field.name);
    return void command.addOption(field.default === true ? off : off.hideHelp());
  }
  const option = new FieldOption(`${SHORT[field.name] ?? ''}--${flag} <${PLACEHOLDERS[field.kind]}>`, description,
    field.name);
  command.addOption(
    option.argParser((text: string, before: readonly string[] | undefined) => [...(before ?? []), text]),
  );
}

const PLACEHOLDERS = {
  string: 'text',
  integer: 'n',
  number: 'number',
  strings: 'list',
  map: 'key=value',
  lists: 'key=value',
  json: 'json',
  loose: 'value',
  file: 'file',
} as const;

function describe({ description, choices, default: preset, kind, required }: Field): string {
  const notes = [...(required ? ['needed'] : []), ...(choices === undefined ? [] : [choices.join(', ')]),
    ...(kind === 'map' || kind === 'lists' ? ['may be repeated'] : []),
    ...(preset === undefined || kind === 'boolean' || preset === '' ? [] : [`default: ${JSON.stringify(preset)}`])];
  return `${lowerFirst(firstSentence(description))}${notes.length === 0 ? '' : ` (${notes.join('; ')})`}`;
}

/** Lower-cases the first letter as in other commands' descriptions; names such as `SVC_PATH` and `URL` stay. */
const lowerFirst = (
  text: string,
): string => (/^[A-Z][a-z ]/.test(text) ? text[0]!.toLowerCase() + text.slice(1) : text);
