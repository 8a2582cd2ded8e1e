import type { AnySchemaObject, ValidateFunction } from 'ajv';
import { type Document, OpenAPIBackend } from 'openapi-backend';
import { createAjv } from '../../operations/index.ts';

/** Checks responses against the specification. */
export interface SpecificationReader {
  /** Returns what is wrong with a response; undefined if it matches the specification. */
  violations(operationId: string, status: number, body: unknown): string | undefined;
}

/** A reader holds only compiled validators, so all servers of a process share it: tests start hundreds of servers. */
const readers = new Map<string, Promise<SpecificationReader>>();

/**
 * Returns the reader of a bundled document. Validators of responses are compiled when one is first needed, so a server
 * that does not check its responses starts without them.
 */
export function createSpecificationReader(documentText: string): Promise<SpecificationReader> {
  const known = readers.get(documentText) ?? build(documentText);
  readers.set(documentText, known);
  return known;
}

async function build(documentText: string): Promise<SpecificationReader> {
  const compiler = lazyCompiler();
  const api = new OpenAPIBackend({
    definition: JSON.parse(documentText) as Document,
    // The document is linted when it is generated, and the library's own check supports OpenAPI 3.0 only.
    quick: true,
    customizeAjv: () => compiler as never,
  });
  await api.init();
  // Given an id, the library builds the list of all operations for each response.
  const operations = new Map(api.router.getOperations().map((operation) => [operation.operationId, operation]));
  return {
    violations: (operationId, status, body) => {
      const { errors } = api.validateResponse(body, operations.get(operationId) ?? operationId, status);
      return errors?.length
        ? errors.map((error) => `${error.instancePath || '/'} ${error.message ?? ''}`).join('; ')
        : undefined;
    },
  };
}

/** What the library uses of Ajv. */
interface Compiler {
  compile(schema: AnySchemaObject): (value: unknown) => boolean;
}

/**
 * Compiles a schema when a value is first checked with it, and equal schemas once: with the first response of an
 * operation, the library compiles those of all its statuses, most of which are the schema of errors.
 */
function lazyCompiler(): Compiler {
  const ajv = answerAjv();
  const compiled = new Map<string, ValidateFunction>();
  const compileOnce = (schema: AnySchemaObject): ValidateFunction => {
    const text = JSON.stringify(schema);
    const validate = compiled.get(text) ?? ajv.compile(schema);
    compiled.set(text, validate);
    return validate;
  };
  return {
    compile: (schema) => {
      let validate: ValidateFunction | undefined;
      const check: Pick<ValidateFunction, 'errors'> & ((value: unknown) => boolean) = (value) => {
        validate ??= compileOnce(schema);
        const isValid = validate(value);
        check.errors = validate.errors;
        return isValid;
      };
      return check;
    },
  };
}

/**
 * Inputs are limited to integers that are exact in JavaScript; a response may have larger ones, such as nanoseconds.
 * The schemas were checked when they were generated.
 */
function answerAjv(): ReturnType<typeof createAjv> {
  return createAjv({ useDefaults: false, validateSchema: false }).addFormat('int64', {
    type: 'number',
    validate: Number.isInteger,
  });
}
