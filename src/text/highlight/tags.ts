const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes a text for HTML, also within quoted attribute values. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => ENTITIES[sign]!);
}

const ELEMENT = /^(?:<[a-z][^<>]*>)+$/i;
const ELEMENT_NAME = /<([a-z][^\s/<>]*)[^<>]*>/gi;
const BRACKETED = /^\[([a-z][^\s=\]]*)[^\]]*\]$/i;
const MIRRORED: Readonly<Record<string, string>> = {
  '(': ')',
  '[': ']',
  '{': '}',
  '<': '>',
  '«': '»',
  '‹': '›',
  '“': '”',
  '‘': '’',
  '「': '」',
  '『': '』',
};

/**
 * The close tag of a highlight tag: `<x a="b">` closes with `</x>`, `<b><i>` with `</i></b>`,
 * `[x]` and `[x=1]` with `[/x]`; any other tag closes with its mirror image: `**` with `**`, `{{` with `}}`.
 */
export function closeTag(tag: string): string {
  if (tag !== last.tag) last = { tag, close: closing(tag) };
  return last.close;
}

/** Cached, because many fragments have the same tag. */
let last = { tag: '', close: '' };

function closing(tag: string): string {
  if (ELEMENT.test(tag)) return [...tag.matchAll(ELEMENT_NAME)].map(([, name]) => `</${name}>`).reverse().join('');
  const bracketed = BRACKETED.exec(tag);
  if (bracketed !== null) return `[/${bracketed[1]}]`;
  return [...tag].reverse().map((character) => MIRRORED[character] ?? character).join('');
}
