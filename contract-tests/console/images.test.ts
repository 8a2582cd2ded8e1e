import { afterAll, beforeAll, describe, expect } from 'vitest';
import { type DocsServer, startDocsServer } from '../../src/testkit/docs-server.ts';
import { inBrowser, launch, type Launched, openPage, picture, violations, type WatchedPage } from './browser.ts';

// What a document makes the browser of its reader ask for (decision D-172). The server requires no credential, so each
// request would take effect.

const PATH = '/v1/backup?to=from-a-document.db';
const DOT =
  'data:image/svg+xml,%3Csvg xmlns="http://www.w3.org/2000/svg" width="20" height="20"%3E%3Ccircle cx="10" cy="10" r="9" fill="teal"/%3E%3C/svg%3E'
    .replaceAll('"', "'").replaceAll(' ', '%20');

const DOCUMENT = `# Report

![chart](${PATH}) and ![](https://elsewhere.example/tracker.png) and [![within a link](${PATH})](https://example.org/)

![a dot](${DOT})

<img srcset="${PATH} 1x, ${PATH} 2x" alt="by srcset"> <picture><source srcset="${PATH}"><img src="${PATH}" alt="in a picture"></picture>
<video src="${PATH}" poster="${PATH}" autoplay></video> <audio src="${PATH}" autoplay></audio> <table background="${PATH}"><tr><td background="${PATH}">a cell</td></tr></table>
<svg width="9" height="9"><image href="${PATH}" /><use href="${PATH}#a" /></svg> <object data="${PATH}"></object> <embed src="${PATH}"> <iframe src="${PATH}"></iframe>
<link rel="prefetch" href="${PATH}"> <link rel="stylesheet" href="${PATH}"> <style>p { background: url(${PATH}) }</style> <p style="background: url(${PATH})">styled</p>
<input type="image" src="${PATH}"> <form action="${PATH}"><button>Send</button></form> <script src="${PATH}"></script>

<a href="${PATH}" ping="${PATH}">The whole report</a>
`;

let server: DocsServer;
let launched: Launched;
let page: WatchedPage;

beforeAll(async () => {
  [server, launched] = await Promise.all([startDocsServer(), launch()]);
  const body = JSON.stringify({ collection: 'notes', key: 'report', lang: 'en', contentMd: DOCUMENT });
  await fetch(`${server.url}/v1/add`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body });
  if ('browser' in launched) page = await openPage(launched.browser);
});

afterAll(async () => {
  if ('browser' in launched) await launched.browser.close();
  await server.stop();
});

/** Styles of documents are refused, and Chromium reports them although they are removed before anything is shown. */
const withoutStyles = (watched: WatchedPage): string[] =>
  watched.troubles.splice(0).filter((trouble) => !trouble.startsWith('Applying inline style'));

const backup = (): Promise<Response> =>
  fetch(`${server.url}/v1/restore`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: '{"from":"from-a-document.db"}',
  });

describe('a document in the console', () => {
  inBrowser('loads nothing of what it names, and shows its images as links', () => launched, () => page, async () => {
    const asked: string[] = [];
    page.on('request', (request) => asked.push(`${request.resourceType()} ${request.url()}`));
    await page.goto(`${server.url}/console#/collections/notes/document?key=report&lang=en`);
    await page.getByRole('link', { name: 'The whole report' }).waitFor();
    await page.waitForLoadState('networkidle');
    expect(asked.filter((each) => each.includes('backup') || each.includes('elsewhere'))).toEqual([]);
    const shown = await page.locator('.prose .image').evaluateAll((all) =>
      all.map((each) => [each.tagName, each.textContent, each.getAttribute('href')])
    );
    expect(shown).toEqual([['A', 'chart', PATH], ['A', 'https://elsewhere.example/tracker.png',
      'https://elsewhere.example/tracker.png'], ['SPAN', 'within a link', null], ['SPAN', 'by srcset', null], ['A',
      'in a picture', PATH]]);
    expect(await page.getByAltText('a dot').evaluate((image) => (image as HTMLImageElement).naturalWidth)).toBe(20);
    expect(withoutStyles(page)).toEqual([]);
    await picture(page, 'images');
    expect(await violations(page)).toEqual([]);
    expect((await backup()).status).toBe(404);
  });

  inBrowser('changes nothing when a link in it is followed', () => launched, () => page, async () => {
    const [opened] = await Promise.all([page.context().waitForEvent('page'),
      page.getByRole('link', { name: 'The whole report' }).click()]);
    await opened.waitForLoadState();
    expect(await opened.textContent('body')).toContain('may only read');
    await opened.close();
    expect((await backup()).status).toBe(404);
  });

  inBrowser('fits a phone and the dark', () => launched, () => page, async () => {
    if ('reason' in launched) return;
    const phone = await openPage(launched.browser, {
      viewport: { width: 375, height: 740 },
      isMobile: true,
      hasTouch: true,
      colorScheme: 'dark',
    });
    await phone.goto(`${server.url}/console#/collections/notes/document?key=report&lang=en`);
    await phone.getByRole('link', { name: 'The whole report' }).waitFor();
    expect(await phone.evaluate(() => document.documentElement.scrollWidth)).toBe(375);
    await picture(phone, 'images-on-a-phone');
    expect(await violations(phone)).toEqual([]);
    expect(withoutStyles(phone)).toEqual([]);
    await phone.context().close();
  });
});
