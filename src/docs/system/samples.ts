import type { Identity } from '../../operations/index.ts';

/** The label of a sample in the Prometheus text format; `\`, `"` and line breaks in the value are escaped. */
const COLLECTION = /[{,]collection="((?:[^"\\]|\\.)*)"/;

/**
 * The samples that a caller may see: all except those of collections that the caller may not read. Without a signed-in
 * caller, no collection is included while authentication is on: names of collections say who works on what.
 */
export function samplesOf(text: string, identity: Identity): string {
  if (identity.admin) return text;
  return text.split('\n').filter((line) => {
    const name = line.startsWith('#') ? undefined : COLLECTION.exec(line)?.[1];
    return name === undefined || identity.may('read', unescape(name));
  }).join('\n');
}

function unescape(value: string): string {
  return value.replace(/\\(.)/g, (_, escaped: string) => (escaped === 'n' ? '\n' : escaped));
}
