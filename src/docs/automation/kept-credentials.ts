import { requireSecret } from '../require-secret.ts';
import { keepQuery } from '../shown-url.ts';
import type { RuleBody } from './rule.ts';

type Headers = Readonly<Record<string, string>>;

/** The headers of a target as answers show them: their values may be credentials. */
export function withoutValues(headers: Headers = {}): Record<string, string> {
  return Object.fromEntries(Object.keys(headers).map((name) => [name, '']));
}

/**
 * A written rule with what answers do not show of the stored one: a URL that is written as it is shown keeps its query,
 * and an empty header its value. Throws `missing_fields` for such a header if the URL changes.
 */
export function keepCredentials(stored: RuleBody, written: RuleBody): RuleBody {
  const url = written.url === undefined ? undefined : keepQuery(stored.url, written.url);
  return {
    ...written,
    webhookUrl: keepQuery(stored.webhookUrl, written.webhookUrl),
    ...(url !== undefined && { url }),
    ...(written.headers && { headers: keepValues(stored, { url, headers: written.headers }) }),
  };
}

function keepValues(stored: RuleBody,
  { url, headers }: { readonly url: string | undefined; readonly headers: Headers }): Headers
{
  const values = new Map(Object.entries(stored.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]));
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => {
    const kept = values.get(name.toLowerCase());
    requireSecret({ secret: `headers.${name}`, target: 'url' }, { secret: kept, target: stored.url }, {
      secret: value,
      target: url,
    });
    return [name, value || (kept ?? '')];
  }));
}
