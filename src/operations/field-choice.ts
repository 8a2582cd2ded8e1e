import type { ErrorObject } from 'ajv/dist/2020.js';

interface Alternative {
  readonly required: readonly string[];
}

/**
 * A violated rule that requires one of several fields: `anyOf` or `oneOf` of alternatives that contain only `required`.
 */
export interface FieldChoice {
  /** Whether too many of them are present (`oneOf`), rather than none. */
  readonly isExclusive: boolean;
  readonly message: string;
}

/** The alternatives of such a rule; empty for any other error. */
export function alternativesOf(error: ErrorObject): readonly Alternative[] {
  if (error.keyword !== 'anyOf' && error.keyword !== 'oneOf') return [];
  const alternatives = error.schema as readonly Alternative[];
  return alternatives.every((each) => Object.keys(each).join() === 'required') ? alternatives : [];
}

/**
 * States what is missing: the rest of an alternative of which some fields are present, otherwise all alternatives, in
 * the wording of the schema (`x-missing`). If only one may be present, the message is the same for none and for
 * several.
 */
export function describeFieldChoice(error: ErrorObject): FieldChoice {
  const alternatives = alternativesOf(error).map(({ required }) => required);
  const names = alternatives.map((required) => required.join(' and '));
  if (error.keyword === 'oneOf') return { isExclusive: true, message: `send either ${names.join(' or ')}` };
  const isThere = (name: string): boolean => Object.hasOwn(error.data as object, name);
  const begun = alternatives.filter((required) => required.some(isThere));
  const rest = begun.length === 1 ? begun[0]!.filter((name) => !isThere(name)).join(', ') : undefined;
  return {
    isExclusive: false,
    message: `missing fields: ${rest ?? (error.parentSchema?.['x-missing'] as string | undefined) ?? listed(names)}`,
  };
}

function listed(names: readonly string[]): string {
  if (names.some((name) => name.includes(' and '))) return `${names.slice(0, -1).join(', ')}, or ${names.at(-1)!}`;
  return names.length > 2 ? `one of ${names.join(', ')}` : names.join(' or ');
}
