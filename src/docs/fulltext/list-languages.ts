import type { Operations } from '../../../generated/docs/operations.ts';
import type { Handlers } from '../../operations/index.ts';
import { LANGUAGES } from '../../text/languages/index.ts';

type LanguagesHandler = Required<Pick<Handlers<Operations>, 'listFullTextLanguages'>>['listFullTextLanguages'];

/** `GET /v1/fts-languages`. */
export function listFullTextLanguages(defaultLang: string): LanguagesHandler {
  return async () => ({ languages: LANGUAGES.map(({ code, name }) => ({ code, name })), defaultLang });
}
