import { ServiceError } from '../../errors/index.ts';

/** Maximum number of characters of a filled body: small requests must not produce huge responses. */
export const MAX_FILLED = 64 * 2 ** 20;

/**
 * A `%%` that could open a placeholder. Its name and the closing `%%` are not consumed, since that `%%` may open the
 * next one.
 */
const OPENING = /%%(?=([^%\r\n]+)%%)/g;

/**
 * Replaces each `%%name%%` by the value of that name (contract section 4, `/v1/get` templating). A
 * placeholder without a value stays; its closing `%%` may open the next placeholder, as
 * in `Save 50%% now, %%name%%!`. Values are not searched for placeholders.
 * Throws `invalid_argument` when the result would be too long.
 */
export function fillTemplate(text: string, env: Readonly<Record<string, string>>): string {
  const parts: string[] = [];
  let length = text.length;
  let copied = 0;
  for (const { index, 1: name } of text.matchAll(OPENING)) {
    // The closing `%%` of a filled placeholder does not open another one.
    if (index < copied || !Object.hasOwn(env, name!)) continue;
    const value = env[name!]!;
    const end = index + name!.length + 4;
    length += value.length - (end - index);
    if (length > MAX_FILLED)
      throw new ServiceError('invalid_argument', `env makes the body longer than ${MAX_FILLED} characters`);
    parts.push(text.slice(copied, index), value);
    copied = end;
  }
  return parts.length === 0 ? text : parts.join('') + text.slice(copied);
}
