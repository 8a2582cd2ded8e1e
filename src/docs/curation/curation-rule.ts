/** A document and its position in the results of a query. */
export interface Pin {
  readonly key: string;
  /** Absent means any language of the key. */
  readonly lang?: string;
  /** Counted from 1; 0 or less puts the document after all other results. */
  readonly position: number;
}

/** What the results of a matching query show and hide (contract section 2, "Curation rule"). */
export interface CurationRule {
  readonly id: string;
  /** As written; its letter case does not matter. */
  readonly collection: string;
  /** Without leading and trailing spaces, and with single spaces. */
  readonly query: string;
  readonly matchMode: 'exact' | 'contains';
  readonly pins: readonly Pin[];
  /** Keys of documents; they apply in every language. */
  readonly hides: readonly string[];
  readonly enabled: boolean;
  /** Unix seconds. */
  readonly createdAt: number;
  /** Unix seconds. */
  readonly updatedAt: number;
}

/** Leading, trailing and repeated spaces do not matter in a query (decisions section 4.5). */
export function collapseSpace(query: string): string {
  return query.trim().replace(/\s+/gu, ' ');
}
