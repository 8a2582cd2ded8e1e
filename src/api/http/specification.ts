import { OpenAPIBackend, type Document } from 'openapi-backend';
import { createAjv } from '../../operations/index.ts';

/** Checks answers as the specification says. */
export interface SpecificationReader {
  /** What is wrong with an answer, undefined when it is as specified. */
  violations(operationId: string, status: number, body: unknown): string | undefined;
}

/** A reader keeps nothing but compiled validators, so that all servers of a process share it: tests start hundreds of servers. */
const readers = new Map<string, Promise<SpecificationReader>>();

/**
 * Returns the reader of a bundled document. Validators of answers are compiled only when one is
 * first needed, so a server that does not check its answers starts without them.
 */
export function createSpecificationReader(documentText: string): Promise<SpecificationReader> {
  const known = readers.get(documentText) ?? build(documentText);
  readers.set(documentText, known);
  return known;
}

async function build(documentText: string): Promise<SpecificationReader> {
  const api = new OpenAPIBackend({
    definition: JSON.parse(documentText) as Document,
    // The document is linted when it is generated; the library's own check knows OpenAPI 3.0 only.
    quick: true,
    customizeAjv: () => answerAjv() as never,
  });
  await api.init();
  return {
    violations: (operationId, status, body) => {
      const { errors } = api.validateResponse(body, operationId, status);
      return errors?.length ? errors.map((error) => `${error.instancePath || '/'} ${error.message ?? ''}`).join('; ') : undefined;
    },
  };
}

/** Inputs keep to integers that are exact here; an answer may have larger ones, such as nanoseconds. */
function answerAjv(): ReturnType<typeof createAjv> {
  return createAjv({ useDefaults: false }).addFormat('int64', { type: 'number', validate: Number.isInteger });
}
