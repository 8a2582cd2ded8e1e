/**
 * True for a metadata value that looks like a list of maps turned into text: structured front
 * matter that was squeezed into flat metadata (contract, section 2). `/v1/validate` warns of it.
 * Recognised are JSON (`[{"question": "…"}]`), the print forms of other languages
 * (`[map[a:1 b:2]]`, `[{'a': 1}]`, `[{:a=>1}]`) and JavaScript's `[object Object]`.
 */
export function looksLikeStringifiedMaps(value: string): boolean {
  const text = value.trim();
  return isJsonListOfObjects(text) || PRINTED_FORMS.some((form) => form.test(text));
}

const PRINTED_FORMS = [
  /^\[\s*map\[/,
  /^\[\s*\{\s*(?:'[^']*'|"[^"]*"|:?[\w.$-]+)\s*(?::|=>|=)[^]*\}\s*\]$/,
  /^\[?\s*\[object Object\]/,
];

function isJsonListOfObjects(text: string): boolean {
  if (!text.startsWith('[') || !text.endsWith(']')) return false;
  try {
    const list = JSON.parse(text) as unknown[];
    return list.length > 0 && list.every((item) => typeof item === 'object' && item !== null && !Array.isArray(item));
  } catch {
    // Not JSON: the other forms are still to be tried.
    return false;
  }
}
