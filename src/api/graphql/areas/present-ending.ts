interface Ending {
  readonly contextTruncated?: boolean;
  readonly reranked?: number;
  readonly truncated?: boolean;
  readonly nextOffset?: number;
  readonly nextCursor?: string;
}

/** How a response of a search by similarity ends, in the form of the schema. */
export function presentEnding(
  { contextTruncated = false, reranked, truncated = false, nextOffset, nextCursor }: Ending,
) {
  return {
    contextTruncated,
    reranked: reranked ?? null,
    truncated,
    nextOffset: nextOffset ?? null,
    nextCursor: nextCursor ?? null,
  };
}
