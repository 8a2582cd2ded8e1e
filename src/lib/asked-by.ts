import type { IncomingHttpHeaders } from 'node:http';

/**
 * Who wants an answer: a `script` of a page or another program; a `navigation`, which shows the answer as a page; or a
 * `part` of a page, such as an image, a style or a frame, whose content no script receives.
 */
export type AskedBy = 'script' | 'navigation' | 'part';

/**
 * Who wants the answer to a request, as its browser says (W3C, Fetch Metadata Request Headers). What a page fetches in
 * advance counts as a navigation. No page can set these headers; other programs do not send them.
 */
export function askedBy(headers: IncomingHttpHeaders): AskedBy {
  const mode = headers['sec-fetch-mode'];
  const destination = headers['sec-fetch-dest'];
  if (mode === 'no-cors' || !(destination === undefined || destination === 'empty' || destination === 'document'))
    return 'part';
  const isByScript = (mode === undefined || mode === 'cors' || mode === 'same-origin') && destination !== 'document';
  return isByScript && !isInAdvance(headers) ? 'script' : 'navigation';
}

/** `Purpose` is that of Safari, `X-Moz` that of earlier Firefox. */
function isInAdvance(headers: IncomingHttpHeaders): boolean {
  return headers['sec-purpose'] !== undefined || headers['purpose'] === 'prefetch' || headers['x-moz'] === 'prefetch';
}
