import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import formatsPlugin from 'ajv-formats';
import { describeViolations, type FieldOrder, type Violations } from './violations.ts';

// The package's types describe its CommonJS default export; under ES modules that is the function itself.
const addFormats = formatsPlugin as unknown as typeof formatsPlugin.default;

/** Checks one operation's flat input, fills in defaults in place, and returns the errors. */
export type InputValidator = (input: object) => Violations | undefined;

/** Finds the validator of an operation. */
type InputValidators = (operationId: string) => InputValidator;

/** A validator keeps nothing between calls, so all services of a process share those of a specification: tests start thousands of services. */
const known = new WeakMap<object, InputValidators>();

/** Validators for the inputs of a service, shared by all that pass the same object. */
export function createInputValidators(schemas: Readonly<Record<string, object>>): InputValidators {
  const validators = known.get(schemas) ?? compiledOnFirstUse(schemas);
  known.set(schemas, validators);
  return validators;
}

/** The start does not pay for operations that are never called. */
function compiledOnFirstUse(schemas: Readonly<Record<string, object>>): InputValidators {
  // The schemas were checked when they were generated; compiling the meta-schema would delay the first request by 40 ms.
  const ajv = createAjv({ validateSchema: false });
  const compiled = new Map<string, InputValidator>();
  return (operationId) => {
    let validator = compiled.get(operationId);
    if (validator === undefined) {
      const schema = schemas[operationId] as { properties?: object; required?: string[] };
      validator = toValidator(ajv.compile(schema), { all: Object.keys(schema.properties ?? {}), required: schema.required ?? [] });
      compiled.set(operationId, validator);
    }
    return validator;
  };
}

function toValidator(validate: ValidateFunction, fields: FieldOrder): InputValidator {
  return (input) => (validate(input) ? undefined : describeViolations(validate.errors as ErrorObject[], fields));
}

/** Ajv with the features that our schemas need: 2020-12, defaults, and the keywords of openapi/README.md. */
export function createAjv({ useDefaults = true, validateSchema = true }: { readonly useDefaults?: boolean; readonly validateSchema?: boolean } = {}): Ajv2020 {
  const ajv = new Ajv2020({ allErrors: true, useDefaults, validateSchema, strict: false, verbose: true, ownProperties: true });
  addFormats(ajv);
  // JSON has one kind of number: a larger whole number changes its value when it is parsed, and further on it may exceed a 64-bit integer.
  ajv.addFormat('int64', { type: 'number', validate: Number.isSafeInteger });
  ajv.addKeyword({
    keyword: 'x-max-bytes',
    type: 'string',
    schemaType: 'number',
    // A string has at most three UTF-8 bytes for each UTF-16 unit, so short ones need no counting.
    validate: (limit: number, text: string) => text.length * 3 <= limit || Buffer.byteLength(text) <= limit,
    error: { message: ({ schema }) => `must be at most ${String(schema)} bytes` },
  });
  ajv.addKeyword({
    keyword: 'x-file',
    schemaType: 'boolean',
    validate: (_: boolean, value: unknown) => value instanceof Blob || value instanceof URL || (typeof value === 'object' && value !== null && Symbol.asyncIterator in value),
    error: { message: 'must be a file' },
  });
  ajv.addKeyword({
    keyword: 'x-scalars',
    type: 'object',
    schemaType: 'boolean',
    modifying: true,
    errors: false,
    before: 'additionalProperties',
    validate: (_: boolean, map: Record<string, unknown>) => {
      makeLists(map);
      return true;
    },
  });
  return ajv;
}

/** Converts single values, numbers and booleans to lists of texts (decision D-135); other values are unchanged, and are refused. */
function makeLists(map: Record<string, unknown>): void {
  for (const [key, value] of Object.entries(map)) {
    const isList = Array.isArray(value);
    if (isList && value.every((item) => typeof item === 'string')) continue;
    const list = isList ? value.map(toText) : [toText(value)];
    if (!isList && typeof list[0] !== 'string') continue;
    // Unlike an assignment, this creates a plain field for every name, including `__proto__`.
    Object.defineProperty(map, key, { value: list, writable: true, enumerable: true, configurable: true });
  }
}

function toText(value: unknown): unknown {
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
}
