import { ServiceError } from '../../../errors/index.ts';

/** The input of `importWiki` from a URL, which the operation reads instead of a file in the call. */
export function toFetched({ url, file: _, ...rest }: Readonly<Record<string, unknown>>): Record<string, unknown> {
  if (typeof url !== 'string' || url === '') throw new ServiceError('missing_fields', 'missing fields: url');
  const parsed = URL.parse(url);
  if (parsed === null || !/^https?:$/.test(parsed.protocol))
    throw new ServiceError('invalid_argument', 'url must be an http or https URL');
  return { ...rest, file: parsed };
}
