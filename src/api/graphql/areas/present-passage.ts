interface Passage {
  readonly chunkIndex?: number;
  readonly chunkText?: string;
  readonly startLine?: number;
  readonly endLine?: number;
}

/** The passage of a result in the form of the schema; nulls for a document. */
export function presentPassage({ chunkIndex, chunkText, startLine, endLine }: Passage) {
  return {
    chunkIndex: chunkIndex ?? null,
    chunkText: chunkText ?? null,
    startLine: startLine ?? null,
    endLine: endLine ?? null,
  };
}
