const RAISED = pairs('0⁰1¹2²3³4⁴5⁵6⁶7⁷8⁸9⁹+⁺-⁻−⁻–⁻=⁼(⁽)⁾nⁿiⁱ');
const LOWERED = pairs('0₀1₁2₂3₃4₄5₅6₆7₇8₈9₉+₊-₋−₋–₋=₌(₍)₎');
/** Ends of ordinal numbers, which are read with the number, superscript or not: 1st, XIXe, 2º. */
const ORDINAL = /^(?:st|nd|rd|th|er|ers|re|res|e|es|è|ère|ème|eme|nde?|de|a|as|o|os|[ªº°])$/i;
/** Ends of abbreviations and marks: Mme, Mlle, TM. */
const ABBREVIATION = /^(?:mes?|lles?|tm|sm|[ªº°™®©℠])$/i;
const MAX_SCRIPT = 40;

function pairs(list: string): ReadonlyMap<string, string> {
  const characters = Array.from(list);
  return new Map(characters.flatMap((from, at) => (at % 2 === 0 ? [[from, characters[at + 1]!]] : [])));
}

/**
 * Superscript or subscript text in markdown, which has neither: Unicode's own characters where it has all of them
 * (10⁶, H₂O), and otherwise `^` or `_`, with brackets around several words or signs. `before` is the text in front of
 * it. The end of an ordinal number, as in 1st, stays as it is. A number after a word refers to a note: with `^` the
 * word remains a word of its own for search.
 */
export function scriptText(value: string, place: 'super' | 'sub', before: string): string {
  const inner = value.trim();
  if (inner === '' || inner.length > MAX_SCRIPT || /\n/.test(inner) || isSuffix(inner, place, before)) return value;
  const start = value.indexOf(inner);
  return value.slice(0, start) + written(inner, place, before + value.slice(0, start)) +
    value.slice(start + inner.length);
}

function isSuffix(inner: string, place: 'super' | 'sub', before: string): boolean {
  return place === 'super' && (
    (ORDINAL.test(inner) && /(?:\p{N}|[IVXLC]|\b[nN])\.?$/u.test(before)) ||
    (ABBREVIATION.test(inner) && /\p{L}$/u.test(before))
  );
}

function written(inner: string, place: 'super' | 'sub', before: string): string {
  const table = place === 'super' ? RAISED : LOWERED;
  const characters = Array.from(inner, (character) => table.get(character));
  const isNote = place === 'super' && /\p{L}{4}$/u.test(before);
  if (!isNote && characters.every((character) => character !== undefined)) return characters.join('');
  if (before === '' || /\s$/.test(before)) return inner;
  const sign = place === 'super' ? '^' : '_';
  return /^[\p{L}\p{N}*,]+$/u.test(inner) ? sign + inner : `${sign}(${inner})`;
}
