import { readFileSync } from 'node:fs';
import type { OperationId } from '../../generated/docs/operations.ts';

interface Schema {
  readonly $ref?: string;
  readonly properties?: object;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

const INPUTS = JSON.parse(readFileSync(new URL('../../generated/docs/inputs.json', import.meta.url), 'utf8')) as Record<
  OperationId,
  Schema
>;

/** Names of the fields of an operation's input, each once. */
export function inputFields(operation: OperationId): string[] {
  const root = INPUTS[operation];
  // An input contains copies of the components that it needs.
  const target = ($ref: string): Schema =>
    $ref.split('/').slice(1).reduce<unknown>((at, part) => (at as Record<string, unknown>)[part], root) as Schema;
  const namesIn = (
    { $ref, properties = {}, allOf = [], anyOf = [], oneOf = [] }: Schema,
  ): string[] => [...Object.keys(properties),
    ...[...($ref === undefined ? [] : [target($ref)]), ...allOf, ...anyOf, ...oneOf].flatMap(namesIn)];
  return [...new Set(namesIn(root))];
}
