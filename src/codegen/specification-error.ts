/**
 * An error in the specifications: a rule, a promise to clients, or an example. The message lists every problem with its
 * location.
 */
export class SpecificationError extends Error {}
