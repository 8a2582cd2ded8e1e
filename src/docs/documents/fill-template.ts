import { ServiceError } from '../../errors/index.ts';

/** Most characters that a filled body may have: small requests must not be able to ask for huge answers. */
export const MAX_FILLED = 64 * 2 ** 20;

const PLACEHOLDER = /%%([^%\r\n]+)%%/g;

/**
 * Replaces each `%%name%%` by the value of that name (contract section 4, `/v1/get` templating). A
 * placeholder without a value stays (decision D-65); values are not looked at again.
 * Throws `invalid_argument` when the result would be too long.
 */
export function fillTemplate(text: string, env: Readonly<Record<string, string>>): string {
  let length = text.length;
  return text.replace(PLACEHOLDER, (placeholder, name: string) => {
    if (!Object.hasOwn(env, name)) return placeholder;
    const value = env[name]!;
    length += value.length - placeholder.length;
    if (length > MAX_FILLED) throw new ServiceError('invalid_argument', `env makes the body longer than ${MAX_FILLED} characters`);
    return value;
  });
}
