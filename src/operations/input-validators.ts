import type { Ajv2020, ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
import { Pace } from '../lib/pace.ts';
import { createAjv } from './validation.ts';
import { describeViolations, type FieldOrder, type Violations } from './violations.ts';

export type InputErrors = ErrorObject[];

/** Checks one operation's flat input, fills in defaults in place, and returns the errors. */
export interface InputValidator {
  (input: object): Violations | undefined;
  /** The same in two steps: the errors, of which there are none for a valid input, and what they say. */
  errorsOf(input: object): InputErrors;
  describe(errors: InputErrors): Violations;
  /** The field that is a list of objects, if there is one: its items may be checked one part after the other. */
  readonly list?: { readonly field: string; readonly maxItems: number } | undefined;
}

/**
 * The validators of a specification. Each is compiled when its operation is first called: the start does not pay for
 * operations that are never called.
 */
export interface InputValidators {
  /** The validator of an operation; undefined until it is compiled. */
  compiled(operationId: string): InputValidator | undefined;
  /**
   * Compiles the validator of an operation in steps, because all of it at once would block the event loop. Callers at
   * the same time share the work.
   */
  compile(operationId: string, pace?: Pick<Pace, 'rest'>): Promise<InputValidator>;
}

interface InputSchema {
  readonly properties?: Readonly<
    Record<string, { readonly items?: { readonly $ref?: string }; readonly maxItems?: number }>
  >;
  readonly required?: readonly string[];
  readonly $defs?: Readonly<Record<string, object>>;
}

/**
 * A validator keeps nothing between calls, so all services of a process share those of a specification: tests start
 * thousands of services.
 */
const known = new WeakMap<object, InputValidators>();

/** Validators for the inputs of a service, shared by all that pass the same object. */
export function createInputValidators(schemas: Readonly<Record<string, object>>): InputValidators {
  const validators = known.get(schemas) ?? compiledOnFirstUse(schemas);
  known.set(schemas, validators);
  return validators;
}

function compiledOnFirstUse(schemas: Readonly<Record<string, InputSchema>>): InputValidators {
  // The schemas were checked when they were generated; compiling the meta-schema would delay the first request by 40
  // ms. Without inlining, each definition is a function of its own, which all that refer to it call.
  const ajv = createAjv({ validateSchema: false, inlineRefs: false });
  const compiled = new Map<string, InputValidator>();
  const compiling = new Map<string, Promise<InputValidator>>();
  const compile = async (operationId: string, pace: Pick<Pace, 'rest'>): Promise<InputValidator> => {
    const schema = schemas[operationId]!;
    await compileDefinitions(ajv, schema.$defs ?? {}, pace);
    const validator = toValidator(ajv.compile(schema), schema);
    compiled.set(operationId, validator);
    return validator;
  };
  return {
    compiled: (operationId) => compiled.get(operationId),
    compile: (operationId, pace = new Pace()) => {
      const validator = compiling.get(operationId) ?? compile(operationId, pace);
      compiling.set(operationId, validator);
      return validator;
    },
  };
}

/**
 * Compiles what no other operation has needed yet. In a specification, definitions of the same name are equal. Ajv
 * looks a reference up among the names of added schemas before it follows it into the operation's own `$defs`.
 */
async function compileDefinitions(ajv: Ajv2020, definitions: Readonly<Record<string, object>>,
  pace: Pick<Pace, 'rest'>): Promise<void>
{
  const references = Object.keys(definitions).map((name) => `#/$defs/${name}`);
  for (const [i, definition] of Object.values(definitions).entries()) {
    if (ajv.schemas[references[i]!] === undefined) ajv.addSchema(definition, references[i]);
  }
  for (const reference of references) {
    ajv.getSchema(reference);
    await pace.rest();
  }
}

function toValidator(validate: ValidateFunction, { properties = {}, required = [] }: InputSchema): InputValidator {
  const fields: FieldOrder = { all: Object.keys(properties), required };
  const errorsOf = (input: object): InputErrors => (validate(input) ? [] : (validate.errors as InputErrors));
  const describe = (errors: InputErrors): Violations => describeViolations(errors, fields);
  const check = (
    input: object,
  ): Violations | undefined => (validate(input) ? undefined : describe(validate.errors as InputErrors));
  const list = Object.entries(properties).find(([, { items }]) => items?.$ref !== undefined);
  return Object.assign(check, {
    errorsOf,
    describe,
    list: list && { field: list[0], maxItems: list[1].maxItems ?? Infinity },
  });
}
