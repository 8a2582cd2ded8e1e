import type { SchemaObject } from './openapi-types.ts';

export const CHOICES = ['anyOf', 'oneOf'] as const;

/** Whether alternatives only say which fields are required (openapi/README.md, "Inputs"). */
export function isFieldChoice(alternatives: readonly SchemaObject[] | undefined): boolean {
  return alternatives !== undefined && alternatives.every((each) => Object.keys(each).join() === 'required');
}

/** The schema for clients that cannot use such a rule; the rule is also in the description. */
export function withoutFieldChoices(schema: SchemaObject): SchemaObject {
  return Object.fromEntries(
    Object.entries(schema).filter(([keyword, value]) =>
      !(CHOICES.some((each) => each === keyword) && isFieldChoice(value as SchemaObject[]))
    ),
  );
}
