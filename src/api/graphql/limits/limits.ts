/** What one GraphQL request may ask for (contract section 8, decisions section 4.13). */
export const LIMITS = {
  /** Selected fields of an operation, its fragments expanded; those of introspection cost nothing. */
  complexity: 1000,
  /** Fields of `Mutation` in one operation, its fragments expanded: each is a write of its own. */
  mutations: 50,
  /** Fields within fields. */
  depth: 10,
  /** Fields within fields of introspection, whose standard query is deeper than 10. */
  introspectionDepth: 20,
  /** Fields that introspection may answer, by an estimate; the standard query is estimated at 17,000. */
  introspected: 30_000,
  /** Selections of a document, and of an operation with its fragments expanded, free ones included: validation compares those of one name with each other. */
  selections: 2500,
  /** Selection sets within selection sets; fragments count here, too. Also values within values of variables. */
  nesting: 100,
  /** Operations of a document, each of which is validated with its fragments. */
  operations: 50,
  /** Bytes of a document; what is large belongs into variables. */
  documentBytes: 128 * 1024,
  /** Tokens of a document. */
  tokens: 10_000,
  /** Errors of validation that are told. */
  errors: 20,
} as const;
