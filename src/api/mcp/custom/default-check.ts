import { createAjv } from '../../../operations/index.ts';
import type { JsonSchema } from '../core/json-schema.ts';

/** Returns what is wrong with a value for a field of an input; undefined if it is valid. */
export type DefaultCheck = (schema: JsonSchema, field: string, value: unknown) => string | undefined;

/** Checks defaults when they are read, so that a tool that could never work prevents the start. */
export function createDefaultChecks(): DefaultCheck {
  const ajv = createAjv({ useDefaults: false });
  return (schema, field, value) => {
    const validate = ajv.compile({
      ...(schema.$defs === undefined ? {} : { $defs: schema.$defs }),
      type: 'object',
      properties: { [field]: schema.properties?.[field] ?? {} },
    });
    if (validate({ [field]: value })) return undefined;
    const [error] = validate.errors ?? [];
    const path = (error?.instancePath ?? '').split('/').slice(2).join('.');
    return `${path === '' ? '' : `${path} `}${error?.message ?? 'is not valid'}`;
  };
}
