/** The built-in tools that a custom tool can be based on. */
export const ACTIONS = ['semantic_search', 'full_text_search', 'search_documents', 'hybrid_search'] as const;

export type Action = (typeof ACTIONS)[number];

export const PARAMETER_TYPES = ['string', 'integer', 'number', 'boolean', 'array', 'object'] as const;

/** Fields that callers cannot override if they are among the defaults; arguments override all other defaults. */
export const LOCKED: ReadonlySet<string> = new Set(['collection', 'filterMeta', 'filter', 'langs', 'geo',
  'includeContent', 'fields']);

export interface CustomParameter {
  /** The form in the file. */
  readonly name: string;
  readonly type: (typeof PARAMETER_TYPES)[number];
  readonly required: boolean;
  readonly description: string;
}

/** One entry of `custom_tools`. */
export interface CustomTool {
  readonly name: string;
  readonly description: string;
  readonly action: Action;
  /** By the field names of the operation's input. */
  readonly defaults: Readonly<Record<string, unknown>>;
  readonly parameters: readonly CustomParameter[];
}
