/** Rules for the metadata of a collection (contract section 2). Keys without a rule are free. */
export interface ValidationSchema {
  /** Keys that must exist with at least one value. */
  readonly required?: string[];
  readonly properties?: Record<string, MetaRule>;
}

/** Rules for the values of one metadata key; each rule applies independently. */
export interface MetaRule {
  readonly type?: ValueType;
  readonly enum?: string[];
  /** Number of values, if the key is present. */
  readonly minItems?: number;
  readonly maxItems?: number;
  /** A regular expression, searched for anywhere in the value unless anchored. */
  readonly pattern?: string;
}

export const VALUE_TYPES = ['string', 'number', 'integer', 'boolean', 'date'] as const;

export type ValueType = (typeof VALUE_TYPES)[number];
