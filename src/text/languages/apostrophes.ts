/**
 * Rules for apostrophes within a word. The tokeniser keeps them so that the stop words `don't` and `it's` are
 * recognised. Each function maps a form to a non-empty form without apostrophes.
 */
export type ApostropheRule = (form: string) => string;

/** English, German, Dutch and the Nordic languages: `Lucene's` becomes `lucene`; `o'brien` becomes `obrien`. */
export const possessive: ApostropheRule = (form) => withoutApostrophes(form.replace(/'s$/, ''));

/** Turkish separates the suffixes of names: `istanbul'da` becomes `istanbul`. */
export const suffix: ApostropheRule = (form) => {
  const at = form.indexOf("'");
  return at > 0 ? form.slice(0, at) : withoutApostrophes(form);
};

const ELIDED = new Set([
  // French
  'l',
  'd',
  'j',
  'c',
  'm',
  't',
  's',
  'n',
  'qu',
  'jusqu',
  'lorsqu',
  'puisqu',
  'quoiqu',
  'quelqu',
  'entr',
  // Italian
  'un',
  'dell',
  'all',
  'nell',
  'sull',
  'dall',
  'coll',
  'quell',
  'quest',
  'bell',
  'sant',
  'tutt',
  'v',
  'gl',
  'dov',
  'com',
  'cos',
]);

/**
 * French and Italian elide articles and pronouns: `l'avion` becomes `avion`, `dell'arte` becomes `arte`; `aujourd'hui`
 * remains one word.
 */
export const elision: ApostropheRule = (form) => {
  let rest = form;
  for (let at = rest.indexOf("'"); at > 0 && ELIDED.has(rest.slice(0, at)) && at + 1 < rest.length;
    at = rest.indexOf("'"))
  {
    rest = rest.slice(at + 1);
  }
  return withoutApostrophes(rest);
};

/** The other languages: the letters before and after it are one word. */
export function withoutApostrophes(form: string): string {
  return form.replaceAll("'", '') || form;
}
