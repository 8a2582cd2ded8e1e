/** A document and its place in the results of a query. */
export interface Pin {
  readonly key: string;
  /** Absent: whichever language of the key there is. */
  readonly lang?: string;
  /** Counted from 1; 0 or less puts the document after the results found. */
  readonly position: number;
}

/** What a matching query shows and hides (contract section 2, "Curation rule"). */
export interface CurationRule {
  readonly id: string;
  /** As written; its letter case does not matter. */
  readonly collection: string;
  /** Without outer space and runs of space. */
  readonly query: string;
  readonly matchMode: 'exact' | 'contains';
  readonly pins: readonly Pin[];
  /** Keys of documents, in every language. */
  readonly hides: readonly string[];
  readonly enabled: boolean;
  /** Unix seconds. */
  readonly createdAt: number;
  /** Unix seconds. */
  readonly updatedAt: number;
}

/** Outer space and runs of space mean nothing in a query (decisions section 4.5). */
export function collapseSpace(query: string): string {
  return query.trim().replace(/\s+/gu, ' ');
}
