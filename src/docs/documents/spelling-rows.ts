import { copyLast, LAST_DOCUMENTS, runInSteps, type UnitOfWork } from './unit-of-work.ts';

/** A key as it was written, for a document in a language in any letter case. */
export interface Spelling {
  readonly cid: number;
  readonly ord: number;
  readonly key: string;
  readonly lang: string;
}

/** Stores the spellings under which documents were written, the only ones that find them; known spellings stay. */
export async function addSpellings(work: UnitOfWork, spellings: readonly Spelling[]): Promise<void> {
  await runInSteps(work,
    'INSERT INTO spellings(cid, key, lang, ord) VALUES (?, ?, ?, ?) ON CONFLICT(cid, key, lang) DO NOTHING',
    spellings.map(({ cid, key, lang, ord }) => [cid, key, lang.toLowerCase(), ord]));
}

/**
 * The same for the documents that were stored last, from their rows: languages are ASCII, which SQL lowercases in the
 * same way.
 */
export async function addFirstSpellings(work: UnitOfWork, count: number): Promise<void> {
  await copyLast(work,
    'INSERT INTO spellings(cid, key, lang, ord) SELECT cid, key, lower(lang), ord FROM documents WHERE ' +
      `${LAST_DOCUMENTS} ON CONFLICT(cid, key, lang) DO NOTHING`, count);
}
