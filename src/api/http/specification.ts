import { OpenAPIBackend, type Document } from 'openapi-backend';
import { createAjv } from '../../operations/index.ts';

/** Reads requests and checks answers as the specification says. */
export interface SpecificationReader {
  /** The query parameters of a request to an operation, decoded but not yet typed. */
  query(operationId: string, queryString: string): Record<string, unknown>;
  /** What is wrong with an answer, undefined when it is as specified. */
  violations(operationId: string, status: number, body: unknown): string | undefined;
}

/**
 * Builds the reader from a bundled document. Validators of answers are compiled only when one is
 * first needed, so a server that does not check its answers starts without them.
 */
export async function createSpecificationReader(documentText: string): Promise<SpecificationReader> {
  const api = new OpenAPIBackend({
    definition: JSON.parse(documentText) as Document,
    // The document is linted when it is generated; the library's own check knows OpenAPI 3.0 only.
    quick: true,
    customizeAjv: () => createAjv({ useDefaults: false }) as never,
  });
  await api.init();
  const operations = new Map(api.router.getOperations().map((operation) => [operation.operationId, operation]));
  return {
    query: (operationId, queryString) => {
      const operation = operations.get(operationId)!;
      // Only the query is read here, so the path is the template itself: it always decodes.
      return api.router.parseRequest({ method: operation.method, path: operation.path, query: queryString, headers: {} }, operation).query as Record<string, unknown>;
    },
    violations: (operationId, status, body) => {
      const { errors } = api.validateResponse(body, operationId, status);
      return errors?.length ? errors.map((error) => `${error.instancePath || '/'} ${error.message ?? ''}`).join('; ') : undefined;
    },
  };
}
