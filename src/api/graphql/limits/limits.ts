/** Limits of one GraphQL request (contract section 8, decisions section 4.13). */
export const LIMITS = {
  /** Selected fields of an operation, with its fragments expanded; fields of introspection do not count. */
  complexity: 1000,
  /** Fields of `Mutation` in one operation, with its fragments expanded: each is a write of its own. */
  mutations: 50,
  /** Nesting depth of fields. */
  depth: 10,
  /** Nesting depth of fields of introspection, whose standard query is deeper than 10. */
  introspectionDepth: 20,
  /** Fields that introspection may return, by an estimate; the standard query is estimated at 35,000. */
  introspected: 60_000,
  /**
   * Selections of a document, and of an operation with its fragments expanded, including those of introspection:
   * validation compares selections of the same name with each other.
   */
  selections: 2500,
  /** Nesting depth of selection sets, including those of fragments. Also the nesting depth of values in variables. */
  nesting: 100,
  /** Operations of a document; each is validated together with its fragments. */
  operations: 50,
  /** Bytes of a document; large values belong in variables. */
  documentBytes: 128 * 1024,
  /** Tokens of a document. */
  tokens: 10_000,
  /** Values of a body, which the library converts all at once; each operation also has a limit of its own. */
  values: 200_000,
  /** Errors of validation that a response lists. */
  errors: 20,
} as const;
