import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Texts and queries of a language: lines of JSON in a file that is named by its tag. */
export interface LanguageSet {
  readonly lang: string;
  readonly documents: readonly { readonly key: string; readonly text: string }[];
  /** Queries as people type them, each with the documents that it has to find one of. */
  readonly queries: readonly { readonly query: string; readonly finds: readonly string[] }[];
}

/** The sets of this folder (README.md), by tag. */
export function languageSets(): LanguageSet[] {
  const files = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.ndjson')).sort();
  return files.map((name) => {
    const lines = readFileSync(join(import.meta.dirname, name), 'utf8').trim().split('\n').map((line) =>
      JSON.parse(line) as LanguageSet['documents'][number] | LanguageSet['queries'][number]
    );
    return {
      lang: name.replace('.ndjson', ''),
      documents: lines.filter((line) => 'key' in line),
      queries: lines.filter((line) => 'query' in line),
    };
  });
}
