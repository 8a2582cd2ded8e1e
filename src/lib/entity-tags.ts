/** One of the tags that a conditional request names. */
export interface EntityTag {
  readonly isWeak: boolean;
  /** What stands in the quotation marks, without the encoding that the tag of a compressed answer ends with. */
  readonly value: string;
}

const ENCODED = /-(?:gzip|br|zstd)$/;

/** The tags of a header `If-Match` or `If-None-Match` (RFC 9110, section 8.8.3), `*` for any. What is no tag is left out. */
export function readEntityTags(header: string): '*' | readonly EntityTag[] {
  if (header.trim() === '*') return '*';
  return header.split(',').flatMap((part) => {
    const [, weak, value] = /^(W\/)?"([^"]*)"$/.exec(part.trim()) ?? [];
    return value === undefined ? [] : [{ isWeak: weak !== undefined, value: value.replace(ENCODED, '') }];
  });
}
