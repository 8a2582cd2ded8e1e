import { ServiceError } from '../../../errors/index.ts';

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/**
 * The input of `uploadFiles` from a name and base64: a file as a form would contain it. Line breaks in the base64 are
 * ignored; all other invalid characters are rejected.
 */
export function toUpload({ filename, content, ...rest }: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const missing = [['filename', filename], ['content', content]].filter(([, value]) =>
    typeof value !== 'string' || value === ''
  ).map(([name]) => name);
  if (missing.length > 0) throw new ServiceError('missing_fields', `missing fields: ${missing.join(', ')}`);
  const base64 = (content as string).replaceAll(/[\r\n]/g, '');
  if (base64.length % 4 !== 0 || !BASE64.test(base64))
    throw new ServiceError('invalid_argument', 'content must be base64');
  return { ...rest, file: new File([Buffer.from(base64, 'base64')], filename as string) };
}
