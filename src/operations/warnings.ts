import { Reply } from './handler.ts';

/** Header with the warnings of a response that is not an object. */
const WARNINGS_HEADER = 'X-Warnings';

/** Maximum number of bytes of the header, because clients and proxies limit the total size of all headers. */
const MAX_HEADER = 1024;

/**
 * The response with the ignored parts of its request (`SVC_STRICT_INPUT=false`): in the field `warnings` of an object,
 * after warnings of its own, and in the header `X-Warnings`, as a JSON array, for a list or a file.
 */
export function withWarnings<T>(reply: Reply<T>, warnings: readonly string[]): Reply<T> {
  if (warnings.length === 0) return reply;
  const { value, headers, status } = reply;
  if (!isPlainObject(value)) return new Reply(value, { ...headers, [WARNINGS_HEADER]: headerText(warnings) }, status);
  const { warnings: own = [] } = value as { warnings?: readonly string[] };
  return new Reply({ ...value, warnings: [...own, ...warnings] }, headers, status);
}

/** The warnings that `withWarnings` put into the headers of a reply. */
export function warningsIn(headers: Readonly<Record<string, string>>): { readonly warnings?: readonly string[] } {
  const text = headers[WARNINGS_HEADER];
  return text === undefined ? {} : { warnings: JSON.parse(text) as string[] };
}

/** The name and content of a file are not fields of a response. */
function isPlainObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value) &&
    !('content' in value && 'contentType' in value);
}

/** ASCII, because clients interpret other characters in headers differently. */
function headerText(warnings: readonly string[]): string {
  let kept = warnings;
  while (kept.length > 1 && asciiJson(kept).length > MAX_HEADER) kept = kept.slice(0, -1);
  return asciiJson(kept);
}

function asciiJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(/[^ -~]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
