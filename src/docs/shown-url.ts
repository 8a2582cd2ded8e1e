/**
 * A URL as answers and logs show it: without user name, password, query and fragment, in which credentials are sent.
 * The URL may be a template.
 */
export function shownUrl(url: string): string {
  const [place = ''] = url.split(/[?#]/, 1);
  const [, scheme, rest = ''] = /^([a-z]+:\/\/)(.*)$/is.exec(place) ?? [];
  if (scheme === undefined) return place;
  const end = rest.indexOf('/');
  const authority = end < 0 ? rest : rest.slice(0, end);
  return `${scheme}${authority.slice(authority.lastIndexOf('@') + 1)}${end < 0 ? '' : rest.slice(end)}`;
}

/**
 * The URL to store: one that is written as it is shown keeps what is not shown, so that a client can write back what it
 * read.
 */
export function keepQuery(stored: string | undefined, written: string): string {
  return stored !== undefined && written === shownUrl(stored) ? stored : written;
}
