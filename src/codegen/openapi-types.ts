import type { OperationSpec } from '../operations/spec.ts';

/** The part of OpenAPI 3.1 that the generator reads. */
export interface SchemaObject {
  $ref?: string;
  type?: string | string[];
  properties?: Record<string, SchemaObject>;
  required?: string[];
  items?: SchemaObject;
  default?: unknown;
  format?: string;
  description?: string;
  allOf?: SchemaObject[];
  anyOf?: SchemaObject[];
  oneOf?: SchemaObject[];
  [keyword: string]: unknown;
}

export interface ParameterObject {
  $ref?: string;
  name: string;
  in: 'path' | 'query' | 'header' | 'cookie';
  required?: boolean;
  description?: string;
  style?: string;
  explode?: boolean;
  schema: SchemaObject;
  example?: unknown;
  'x-error'?: string;
}

export interface MediaTypeObject {
  schema?: SchemaObject;
  example?: unknown;
  examples?: Record<string, { value?: unknown }>;
}

export interface ResponseObject {
  $ref?: string;
  description?: string;
  content?: Record<string, MediaTypeObject>;
  headers?: Record<string, unknown>;
}

export interface OperationObject {
  operationId: string;
  tags: [string];
  summary: string;
  description: string;
  parameters?: ParameterObject[];
  requestBody?: { required?: boolean; content: Record<string, MediaTypeObject> };
  responses: Record<string, ResponseObject>;
  security?: Record<string, string[]>[];
  'x-access': string;
  'x-credential'?: 'optional';
  'x-effect': string;
  'x-stores'?: boolean;
  'x-collections'?: string[];
  'x-read-fields'?: string[];
  'x-unread'?: Record<string, string | 0>;
  'x-conditions'?: string[];
  'x-tells'?: string;
  'x-probe'?: OperationSpec['probe'];
  'x-waits-for'?: OperationSpec['waitsFor'];
  'x-tables'?: true;
  'x-search'?: OperationSpec['search'];
  'x-local'?: true;
  'x-noted'?: true;
  'x-feature'?: OperationSpec['feature'];
  'x-scope'?: OperationSpec['scope'];
  'x-project-admin'?: boolean;
  'x-password-pending'?: true;
  'x-pages'?: string;
  'x-timeout'?: 'none';
  'x-sanitize'?: boolean;
  'x-raw-body'?: true;
  'x-max-body'?: string | number;
  'x-max-values'?: number;
  'x-error'?: string;
  'x-other-statuses'?: number[];
  'x-mcp-tool'?: McpToolObject;
}

/** The MCP tool of an operation (openapi/README.md). */
export interface McpToolObject {
  name: string;
  hint: 'read' | 'write' | 'destructive';
  idempotent?: boolean;
  openWorld?: boolean;
  title?: string;
  description?: string;
  list?: string;
  prompt?: boolean;
  custom?: string;
}

export interface OpenApiDocument {
  openapi: string;
  info: { title: string; version: string };
  /** The limits of operations that have none of their own. */
  'x-max-body'?: string | number;
  'x-max-values'?: number;
  servers?: { url: string }[];
  tags?: { name: string; description?: string }[];
  paths: Record<string, Record<string, OperationObject>>;
  components: {
    schemas: Record<string, SchemaObject>;
    responses?: Record<string, ResponseObject>;
    parameters?: Record<string, ParameterObject>;
    securitySchemes?: Record<string, unknown>;
  };
}

const HTTP_METHODS = ['get', 'put', 'post', 'delete', 'patch'] as const;

/** Every operation of a document, with its path and method. */
export function* operationsOf(
  document: OpenApiDocument,
): Generator<{ path: string; method: string; operation: OperationObject }> {
  for (const [path, item] of Object.entries(document.paths)) {
    for (const method of HTTP_METHODS) {
      const operation = item[method];
      if (operation) yield { path, method, operation };
    }
  }
}

/** Follows local references until something else is found. */
export function resolve<T extends object>(document: OpenApiDocument, value: T): T {
  let current = value as T & { $ref?: string };
  while (typeof current.$ref === 'string') {
    const target = lookup(document, current.$ref);
    if (target === undefined) throw new Error(`dangling reference ${current.$ref}`);
    current = target as T;
  }
  return current;
}

function lookup(document: OpenApiDocument, ref: string): unknown {
  const parts = ref.replace(/^#\//, '').split('/').map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  return parts.reduce<unknown>((node, part) => (node as Record<string, unknown> | undefined)?.[part], document);
}

/**
 * An error in the specifications: a rule, a promise to clients, or an example. The message lists every problem with its
 * location.
 */
export class SpecificationError extends Error {}
