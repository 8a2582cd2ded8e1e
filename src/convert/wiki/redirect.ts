/** The keyword for a redirect in the languages with the most pages; every wiki also accepts the English one. */
const WORDS = ['redirect', 'weiterleitung', 'redirection', 'redirección', 'redireccion', 'rinvia', 'redirecionamento',
  'doorverwijzing', 'patrz', 'przekieruj', 'tam', 'перенаправление', 'перенапр', 'перенаправлення', '転送',
  'リダイレクト', '重定向', 'تحويل', 'הפניה', 'omdirigering', 'omdiriger', 'omdirigér', 'ohjaus', 'uudelleenohjaus',
  'yönlendirme', 'yönlendi̇rme', '넘겨주기', 'đổi', 'alih', 'přesměruj', 'átirányítás', 'redirectare', 'przekierowanie',
  'ανακατευθυνση', 'birzuzendu', 'redirecció', 'ümbersuunamine', 'saadaa', 'suuna', 'peradresavimas', 'pārvirzīt',
  'tilvísun'];

const REDIRECT = new RegExp(
  `^\\s{0,50}#(?:${WORDS.join('|')})\\s{0,20}:?\\s{0,20}\\[\\[([^\\[\\]|\\n]{1,600})(?:\\|[^\\]\\n]{0,600})?\\]\\]`,
  'iu',
);

/** The page to which wikitext redirects, and the text after it; undefined if it is not a redirect. */
export function redirectOf(wikitext: string): { target: string; rest: string } | undefined {
  const match = REDIRECT.exec(wikitext.slice(0, 2000));
  return match === null
    ? undefined
    : { target: match[1]!.trim().replace(/^:/, ''), rest: wikitext.slice(match[0].length) };
}
