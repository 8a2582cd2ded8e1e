/** What is wrong with the specifications: a rule, a promise to clients, or an example; the message lists every problem with its place. */
export class SpecificationError extends Error {}
