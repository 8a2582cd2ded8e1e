import { type ASTNode, type DocumentNode, GraphQLError, type GraphQLSchema, parse, validate } from 'graphql';
import { Lru } from '../../../lib/caches.ts';
import { createLimitCheck, LIMITS } from './limits.ts';

/** Most documents in the cache (decisions section 4.13), and most memory that they may use. */
const MAX_REMEMBERED = 1000;
const CACHE_BYTES = 32 * 1024 * 1024;

/** Parses documents. */
interface DocumentReader {
  /** Throws a `GraphQLError` for a text that is not a document, or that exceeds a limit. */
  parse(text: string): DocumentNode;
  /** Returns the errors that the rules of the GraphQL specification find in a document of `parse`. */
  validate(document: DocumentNode): readonly GraphQLError[];
}

interface Unvalidated {
  readonly text: string;
  readonly nodes: number;
}

/**
 * Reads documents for one schema. Valid documents are cached, and neither parsed nor validated again, because no rule
 * depends on variables.
 */
export function createDocumentReader(schema: GraphQLSchema): DocumentReader {
  const cache = new DocumentCache(MAX_REMEMBERED, CACHE_BYTES);
  const checkLimits = createLimitCheck(schema);
  const unvalidated = new WeakMap<DocumentNode, Unvalidated>();
  return {
    parse(text) {
      const known = cache.get(text);
      if (known !== undefined) return known;
      const { document, nodes } = withinStack(() => parseDocument(text));
      withinStack(() => checkLimits(document));
      unvalidated.set(document, { text, nodes });
      return document;
    },
    validate(document) {
      const fresh = unvalidated.get(document);
      if (fresh === undefined) return [];
      const errors = validate(schema, document, undefined, { maxErrors: LIMITS.errors });
      if (errors.length > 0) return errors.map(explained);
      unvalidated.delete(document);
      cache.set(fresh.text, document, fresh.nodes);
      return [];
    },
  };
}

/** The library stops after this many comparisons of fields with the same name, without reporting it. */
function explained(error: GraphQLError): GraphQLError {
  return error.message === 'Validation aborted.'
    ? new GraphQLError('the query repeats too many fields of one name')
    : error;
}

function parseDocument(text: string): { document: DocumentNode; nodes: number } {
  if (Buffer.byteLength(text) > LIMITS.documentBytes) {
    throw new GraphQLError(
      `the document is longer than ${LIMITS.documentBytes} bytes; put what is large into variables`,
    );
  }
  const document = parse(text, { maxTokens: LIMITS.tokens });
  return { document, nodes: replaceLocations(document) };
}

/** Thousands of nested brackets exhaust the stack of the parser, which is recursive. */
function withinStack<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof RangeError) throw new GraphQLError(`the query is nested deeper than ${LIMITS.nesting} levels`);
    throw error;
  }
}

interface Entry {
  readonly document: DocumentNode;
  readonly bytes: number;
}

/** Memory of one node in bytes, a generous estimate; texts are added to it. */
const NODE_BYTES = 300;

/**
 * Parsed and validated documents by their text. The least recently used ones are removed first, when there are too many
 * or they use too much memory.
 */
export class DocumentCache {
  readonly #entries: Lru<string, Entry>;

  constructor(maxEntries: number, maxBytes: number) {
    this.#entries = new Lru(maxBytes, { maxEntries, sizeOf: ({ bytes }) => bytes });
  }

  get size(): number {
    return this.#entries.size;
  }

  get(text: string): DocumentNode | undefined {
    return this.#entries.get(text)?.document;
  }

  /**
   * `nodes`: the number of nodes in the document. A document that uses more than a tenth of the memory limit is not
   * cached.
   */
  set(text: string, document: DocumentNode, nodes: number): void {
    const bytes = text.length * 2 + nodes * NODE_BYTES;
    if (bytes <= this.#entries.capacity / 10) this.#entries.set(text, { document, bytes });
  }
}

/** The position of a node in its document; line and column start at 1. */
interface Position {
  readonly line: number;
  readonly column: number;
}

const POSITION = Symbol('position');

type Placed = ASTNode & { loc?: unknown; [POSITION]?: Position };

/**
 * Replaces the locations of all nodes by positions, and returns the number of nodes. When an error is constructed, it
 * counts the lines up to each location of its nodes, which takes minutes for long documents with many errors. Also, a
 * location keeps all tokens of the document in memory.
 */
export function replaceLocations(root: ASTNode): number {
  let nodes = 0;
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) { for (const item of value) visit(item); }
    else if (isNode(value)) {
      nodes += 1;
      const { loc } = value;
      (value as Placed).loc = undefined;
      for (const child of Object.values(value)) if (typeof child === 'object') visit(child);
      if (loc !== undefined) (value as Placed)[POSITION] = { line: loc.startToken.line, column: loc.startToken.column };
    }
  };
  visit(root);
  return nodes;
}

/** Returns undefined for a node that was not parsed from a document. */
export function positionOf(node: ASTNode): Position | undefined {
  return (node as Placed)[POSITION];
}

function isNode(value: unknown): value is ASTNode {
  return typeof value === 'object' && value !== null && 'kind' in value;
}
