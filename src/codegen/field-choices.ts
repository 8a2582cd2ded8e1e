import type { SchemaObject } from './openapi-types.ts';

export const CHOICES = ['anyOf', 'oneOf'] as const;

/** Whether alternatives say nothing but which fields have to be there (openapi/README.md, "Inputs"). */
export function isFieldChoice(alternatives: readonly SchemaObject[] | undefined): boolean {
  return alternatives !== undefined && alternatives.every((each) => Object.keys(each).join() === 'required');
}

/** A schema for those who cannot make use of such a rule, which stands in the description as well. */
export function withoutFieldChoices(schema: SchemaObject): SchemaObject {
  return Object.fromEntries(Object.entries(schema).filter(([keyword, value]) => !(CHOICES.some((each) => each === keyword) && isFieldChoice(value as SchemaObject[]))));
}
