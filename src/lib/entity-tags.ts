/** One of the tags that a conditional request names. */
export interface EntityTag {
  readonly isWeak: boolean;
  /** The text within the quotation marks, without the suffix that names the encoding of a compressed response. */
  readonly value: string;
}

const ENCODED = /-(?:gzip|br|zstd)$/;

/**
 * The tags of an `If-Match` or `If-None-Match` header (RFC 9110, section 8.8.3), or `*` for any. Invalid tags are left
 * out.
 */
export function readEntityTags(header: string): '*' | readonly EntityTag[] {
  if (header.trim() === '*') return '*';
  return header.split(',').flatMap((part) => {
    const [, weak, value] = /^(W\/)?"([^"]*)"$/.exec(part.trim()) ?? [];
    return value === undefined ? [] : [{ isWeak: weak !== undefined, value: value.replace(ENCODED, '') }];
  });
}
