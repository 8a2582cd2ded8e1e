/** The built-in tools that a custom tool can be made of (decision D-119). */
export const ACTIONS = ['semantic_search', 'full_text_search', 'search_documents', 'hybrid_search'] as const;

export type Action = (typeof ACTIONS)[number];

export const PARAMETER_TYPES = ['string', 'integer', 'number', 'boolean', 'array', 'object'] as const;

/** What the author of a tool fixes for good when it is among the defaults; other defaults yield to arguments. */
export const LOCKED: ReadonlySet<string> = new Set(['collection', 'filterMeta', 'filter', 'langs', 'geo', 'includeContent', 'fields']);

export interface CustomParameter {
  /** As the file has it. */
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
  /** By the names of the operation's input. */
  readonly defaults: Readonly<Record<string, unknown>>;
  readonly parameters: readonly CustomParameter[];
}
