/** Rules for the metadata of a collection (contract section 2). Keys without a rule are free. */
export interface ValidationSchema {
  /** Keys that must be there with at least one value. */
  readonly required?: string[];
  readonly properties?: Record<string, MetaRule>;
}

/** What the values of one metadata key must look like; each rule stands for itself. */
export interface MetaRule {
  readonly type?: ValueType;
  readonly enum?: string[];
  /** Counts of values, where the key is present. */
  readonly minItems?: number;
  readonly maxItems?: number;
  /** A regular expression, looked for anywhere in the value unless anchored. */
  readonly pattern?: string;
}

export const VALUE_TYPES = ['string', 'number', 'integer', 'boolean', 'date'] as const;

export type ValueType = (typeof VALUE_TYPES)[number];
