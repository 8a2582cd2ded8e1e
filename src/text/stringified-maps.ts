/**
 * Whether a metadata value looks like a list of maps that was converted to text: structured front matter that was
 * forced into flat metadata (contract, section 2). `/v1/validate` warns of it. It recognises JSON (`[{"question":
 * "…"}]`), the print forms of other languages (`[map[a:1 b:2]]`, `[{'a': 1}]`, `[{:a=>1}]`) and JavaScript's `[object
 * Object]`.
 */
export function looksLikeStringifiedMaps(value: string): boolean {
  const text = value.trim();
  return isJsonListOfObjects(text) || PRINTED_FORMS.some((form) => form.test(text));
}

const PRINTED_FORMS = [/^\[\s*map\[/, /^\[\s*\{\s*(?:'[^']*'|"[^"]*"|:?[\w.$-]+)\s*(?::|=>|=)[^]*\}\s*\]$/,
  /^\[?\s*\[object Object\]/];

function isJsonListOfObjects(text: string): boolean {
  if (!text.startsWith('[') || !text.endsWith(']')) return false;
  try {
    const list = JSON.parse(text) as unknown[];
    return list.length > 0 && list.every((item) => typeof item === 'object' && item !== null && !Array.isArray(item));
  } catch {
    // Not JSON: try the other forms.
    return false;
  }
}
