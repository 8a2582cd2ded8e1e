/** Parses `Name: value` (RFC 9110, section 5); returns undefined if it is not a header that can be sent. */
export function parseHeaderLine(line: string): { readonly name: string; readonly value: string } | undefined {
  const [, name, value] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\t\x20-\x7e\x80-\xff]*?)[ \t]*$/.exec(line) ?? [];
  return name === undefined || value === undefined || value === '' ? undefined : { name, value };
}
