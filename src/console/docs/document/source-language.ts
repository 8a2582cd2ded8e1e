import { grammarOf, languageOfPath } from '../../shared/source/languages.ts';

export interface Named {
  readonly key: string;
  readonly meta?: Readonly<Record<string, readonly string[]>> | undefined;
}

/**
 * The language of a document of source code; undefined if it is none. As for the service, `kind` says what a document
 * is, and else the extension of its key or `path`; its `language` is that of the extension where it is one that the
 * console does not know.
 */
export function sourceLanguageOf({ key, meta = {} }: Named): string | undefined {
  const [kind = ''] = meta['kind'] ?? [];
  const ofPath = [...meta['path'] ?? [], key].map(languageOfPath).find((language) => language !== undefined);
  if (kind === '' ? ofPath === undefined : kind !== 'code') return undefined;
  const given = meta['language']?.[0]?.trim().toLowerCase() ?? '';
  return grammarOf(given) === undefined ? ofPath ?? '' : given;
}
