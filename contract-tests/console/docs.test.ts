import { afterAll, beforeAll, describe, expect } from 'vitest';
import { createClient, createConfig } from '../../generated/docs/sdk/client/index.ts';
import type { DocsServer } from '../../src/testkit/docs-server.ts';
import { WebhookEndpoint } from '../../src/testkit/webhook-endpoint.ts';
import { ADMIN, AT_REST, startWithAuth, tokenOf } from '../support/access-server.ts';
import { inBrowser, launch, type Launched, openPage, picture, violations, type WatchedPage } from './browser.ts';
import { fillDocuments } from './docs-corpus.ts';

let server: DocsServer;
let launched: Launched;
/** Signed in. */
let page: WatchedPage;

beforeAll(async () => {
  [server, launched] = await Promise.all([startWithAuth({ ...AT_REST, SVC_EMBEDDING_PROVIDER: 'builtin' }), launch()]);
  const token = await tokenOf(server.url, ADMIN);
  await fillDocuments(
    createClient(createConfig({ baseUrl: server.url, headers: { Authorization: `Bearer ${token}` } })),
  );
  if (!('browser' in launched)) return;
  page = await openPage(launched.browser);
  await page.addInitScript((value) => sessionStorage.setItem('quire-session', JSON.stringify({ kind: 'token', value })),
    token);
});

afterAll(async () => {
  if ('browser' in launched) await launched.browser.close();
  await server.stop();
});

const inTab = (name: string, run: () => Promise<void>): void => inBrowser(name, () => launched, () => page, run);

const open = (place = ''): Promise<unknown> => page.goto(`${server.url}/console${place}`);

async function freshPage(options?: Parameters<typeof openPage>[1]): Promise<WatchedPage> {
  if ('reason' in launched) throw new Error(launched.reason);
  return openPage(launched.browser, options);
}

describe('the page at /', () => {
  inTab('leads to the console', async () => {
    await page.goto(`${server.url}/`);
    await picture(page, 'home');
    expect(await violations(page)).toEqual([]);
    await page.getByRole('link', { name: 'Open the console' }).click();
    await page.getByRole('heading', { name: 'Collections' }).waitFor();
  });
});

describe('signing in', () => {
  inTab('asks for name and password, says what is wrong, and keeps the token out of the address', async () => {
    const stranger = await freshPage();
    await stranger.goto(`${server.url}/console`);
    await stranger.getByLabel('Name').fill(ADMIN.username);
    await stranger.getByLabel('Password').fill('wrong');
    await stranger.getByRole('button', { name: 'Sign in' }).click();
    await stranger.getByRole('alert').waitFor();
    await picture(stranger, 'sign-in');
    expect(await violations(stranger)).toEqual([]);
    await stranger.getByLabel('Password').fill(ADMIN.password);
    await stranger.getByRole('button', { name: 'Sign in' }).click();
    await stranger.getByRole('link', { name: /notes 40 documents/ }).waitFor();
    expect(stranger.url()).toBe(`${server.url}/console`);
    expect(await stranger.context().cookies()).toEqual([]);
    await stranger.getByRole('button', { name: 'Sign out' }).click();
    await stranger.getByLabel('Password').waitFor();
    await stranger.context().close();
  });

  inTab('again, when a token has expired, loses nothing that was typed', async () => {
    const { url } = server;
    await open('#/collections/guides/document?key=start&lang=en&tab=edit');
    await page.getByLabel('Markdown').fill('# Start\n\nTyped before the token expired; it has three paragraphs.\n');
    await page.route(`${url}/v1/update`,
      (route) => route.fulfill({ status: 401, json: { error: 'token expired', code: 'unauthenticated' } }), {
      times: 1,
    });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByLabel('Name').fill(ADMIN.username);
    await page.getByLabel('Password').fill(ADMIN.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('No changes').waitFor();
    expect(await page.getByLabel('Markdown').inputValue()).toContain('Typed before');
  });

  inTab('as somebody who may read one collection shows that one, and no page for administrators', async () => {
    const reader = await freshPage();
    await reader.goto(`${server.url}/console`);
    await reader.getByLabel('Name').fill('ada');
    await reader.getByLabel('Password').fill('analytical-engine-1843');
    await reader.getByRole('button', { name: 'Sign in' }).click();
    await reader.getByRole('link', { name: /guides 1 document/ }).waitFor();
    expect(await reader.getByRole('link', { name: /notes|Audit|Webhooks/ }).count()).toBe(0);
    await reader.getByRole('link', { name: 'Access' }).click();
    await reader.getByText('You have no API keys.').waitFor();
    expect(reader.troubles).toEqual([]);
    await reader.context().close();
  });

  inTab('is not kept by a page that is closed', async () => {
    const stranger = await freshPage();
    await stranger.goto(`${server.url}/console`);
    await stranger.getByLabel('Password').waitFor();
    await stranger.context().close();
  });
});

describe('documents', () => {
  inTab('searches by words as one types, with matches marked, and filters by facets', async () => {
    await open('#/collections/notes');
    await page.getByLabel('How to search').selectOption('words');
    await page.getByLabel('Search notes').fill('lanter');
    await page.locator('mark', { hasText: 'lantern' }).first().waitFor();
    await page.getByRole('checkbox', { name: /sailing/ }).check();
    await page.getByText('10 matches').waitFor();
    await picture(page, 'search');
    expect(await violations(page)).toEqual([]);
  });

  inTab('keeps what an expression says, and says what is wrong with one', async () => {
    await open('#/collections/notes');
    await page.getByLabel('Filter', { exact: true }).fill('topic = sailing AND level = beginner');
    await page.keyboard.press('Enter');
    await page.getByText('4 documents').waitFor();
    await page.getByLabel('Filter', { exact: true }).fill('topic =');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').filter({ hasText: 'filter' }).waitFor();
    await picture(page, 'filter');
    expect(await violations(page)).toEqual([]);
  });

  inTab('offers queries that find something where one finds nothing', async () => {
    await open('#/collections/notes');
    await page.getByLabel('Search notes').fill('lentarn');
    await page.getByRole('button', { name: /lantern/ }).click();
    await page.locator('mark', { hasText: 'lantern' }).first().waitFor();
  });

  inTab('searches by meaning, each document once, with matches marked, and goes on to the next page', async () => {
    await open('#/collections/long');
    await page.getByLabel('Search long').fill('lantern');
    await page.locator('mark', { hasText: 'lantern' }).first().waitFor();
    await page.getByText('The nearest documents first').waitFor();
    await picture(page, 'search-by-meaning');
    const keys = await page.locator('.results h2').allTextContents();
    expect(new Set(keys).size).toBe(keys.length);
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByText('Page 2').waitFor();
  });

  for (const [collection, way, key, line, at] of [['archive', 'meaning', 'harbour', 84, '.prose li.at'], ['archive',
    'words', 'harbour', 84, '.prose li.at'], ['code', 'meaning', 'queue/pilot.ts', 71, '.source .line.at'], ['code',
    'words', 'queue/pilot.ts', 71, '.source .line.at']] as const)
  {
    inTab(`shows the best passage of ${key} by ${way}, whatever is misspelt or unfinished, and opens it there`,
      async () => {
        await open(`#/collections/${collection}`);
        await page.getByLabel('How to search').selectOption(way);
        await page.getByLabel(`Search ${collection}`).fill('the lief of a plot boa');
        const passage = page.locator('.results > li', { has: page.getByRole('link', { name: key, exact: true }) })
          .locator('.passage').first();
        await passage.locator('mark', { hasText: 'pilot' }).waitFor();
        expect(await passage.locator('mark').allTextContents()).toEqual(['life', 'pilot', 'boat']);
        await picture(page, `passages-${collection}-${way}`);
        expect(await violations(page)).toEqual([]);
        await passage.click();
        await page.locator(at, { hasText: 'The life of a pilot boat' }).waitFor();
        expect(page.url()).toContain(`lines=${line}-${line}`);
        expect(await page.locator(at).first().evaluate((element) => element.getBoundingClientRect().top))
          .toBeGreaterThan(0);
        expect(
          await page.locator(at).first().evaluate((element) => element.getBoundingClientRect().bottom < innerHeight),
        ).toBe(true);
        await picture(page, `passage-${collection}-${way}`);
        expect(await violations(page)).toEqual([]);
      });
  }

  inTab('shows source code in its colours with the numbers of its lines', async () => {
    await open('#/collections/code/document?key=theme/post.html&lang=en');
    await page.locator('.source .t-tag', { hasText: 'link' }).first().waitFor();
    expect(
      await page.locator('.source .line').evaluateAll((all) =>
        all.map((line) => [line.getAttribute('data-line'), line.textContent])
      ),
    ).toEqual([
      ['1', '<link rel="stylesheet" href="post.css">\n'],
      ['2', '<h1 class="post-title">Hi</h1>\n'],
    ]);
    await picture(page, 'source');
    expect(await violations(page)).toEqual([]);
  });

  inTab('shows a document without what could harm its reader', async () => {
    await open('#/collections/guides/document?key=start&lang=en');
    await page.getByText('three paragraphs').waitFor();
    await picture(page, 'document');
    await expect.poll(() => page.title()).toBe('How to start · Quire');
    expect(await violations(page)).toEqual([]);
  });

  inTab('edits beside a preview and saves', async () => {
    await open('#/collections/guides/document?key=start&lang=en&tab=edit');
    await page.getByLabel('Markdown').fill(
      '# Start\n\nA later version of the guide.\n\nIt has **four** paragraphs, not three paragraphs.\n',
    );
    await page.locator('.preview strong', { hasText: 'four' }).waitFor();
    await picture(page, 'editor');
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('No changes').waitFor();
  });

  inTab('compares revisions side by side and restores one', async () => {
    await open('#/collections/guides/document?key=start&lang=en&tab=revisions');
    await page.getByRole('button', { name: /Revision 1/ }).click();
    await page.locator('.diff mark').first().waitFor();
    await picture(page, 'revisions');
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Restore' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Restore' }).click();
    await page.getByText('Revision 1 was restored').waitFor();
    await page.getByRole('tab', { name: 'Read' }).click();
    await page.getByText('The first version of a guide.').waitFor();
  });

  inTab('deletes a document, and restores it', async () => {
    await open('#/collections/notes/document?key=cooking/note-1&lang=en');
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('link', { name: 'Deleted' }).click();
    await page.getByRole('cell', { name: 'Notes on cooking, part 1' }).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Restore' }).click();
    await page.getByRole('heading', { name: 'Notes on cooking, part 1' }).waitFor();
  });

  inTab('draws the code graph of a source document', async () => {
    await open('#/collections/code/document?key=theme/post.css&lang=en&tab=graph');
    await page.getByRole('link', { name: 'theme/list.html' }).waitFor();
    await picture(page, 'code-graph');
    expect(await violations(page)).toEqual([]);
    await page.getByRole('link', { name: 'theme/post.html' }).click();
    await page.getByRole('heading', { name: 'theme/post.html' }).waitFor();
  });

  inTab('uploads what is dropped or chosen, each file by itself', async () => {
    await open('#/upload?collection=dropped');
    const dropped = await page.evaluateHandle(() => {
      const transfer = new DataTransfer();
      transfer.items.add(new File(['<h1>Dear reader</h1><p>Hello.</p>'], 'letter.html', { type: 'text/html' }));
      return transfer;
    });
    await page.locator('.drop').dispatchEvent('drop', { dataTransfer: dropped });
    await page.getByLabel('Files').setInputFiles([{
      name: 'program.exe',
      mimeType: 'application/octet-stream',
      buffer: Buffer.from('no text'),
    }]);
    await page.getByText('failed', { exact: true }).waitFor();
    await picture(page, 'upload');
    expect(await violations(page)).toEqual([]);
    await page.getByRole('link', { name: 'letter' }).click();
    await page.getByText('Hello.').waitFor();
  });

  inTab('draws vectors on a map that is moved and lit', async () => {
    await open('#/collections/notes/map');
    await page.locator('canvas').waitFor();
    await page.getByLabel('Light what is found').fill('planets in the sky');
    await page.getByRole('list', { name: 'Found' }).getByRole('link', { name: /astronomy/ }).first().waitFor();
    const { x, y, width, height } = (await page.locator('canvas').boundingBox())!;
    await page.mouse.move(x + width / 2, y + height / 2);
    await page.mouse.down();
    await page.mouse.move(x + width / 2 + 60, y + height / 2 + 20);
    await page.mouse.up();
    await page.mouse.wheel(0, -40);
    await picture(page, 'map');
    expect(await violations(page)).toEqual([]);
  });
});

describe('pages', () => {
  const pages: readonly (readonly [address: string, says: string])[] = [['', '40'], ['memory', 'Where to plant roses'],
    ['jobs', 'completed'], ['webhooks', 'example.com/hooks/changes'], ['automation', 'Storms'], ['access', 'ada'], [
    'access?tab=groups',
    'Those who weed',
  ], ['access?tab=keys', 'You have no API keys.'], ['access?tab=mcp', 'There are no MCP keys.'], ['audit', 'auth.jwt'],
    ['encryption', 'Primary key'], ['metrics', 'Requests by path'], ['try', 'Create or update one document']];
  for (const [address, says] of pages) {
    inTab(`#/${address} shows what there is, without violations of accessibility`, async () => {
      await open(`#/${address}`);
      await page.getByText(says).first().waitFor();
      await picture(page, `page-${address.replace(/\W+/g, '-') || 'collections'}`);
      expect(await violations(page)).toEqual([]);
    });
  }

  inTab('#/webhooks tests a webhook, and shows what its endpoint returned', async () => {
    const endpoint = await WebhookEndpoint.open();
    await open('#/webhooks');
    await page.getByRole('button', { name: 'New webhook' }).click();
    await page.getByLabel('Address').fill(endpoint.url);
    await page.getByLabel('Collection').fill('elsewhere');
    await page.getByRole('button', { name: 'Create' }).click();
    const row = page.getByRole('row').filter({ hasText: endpoint.url });
    const shown = page.getByRole('dialog', { name: 'Test of the webhook' });
    await row.getByRole('button', { name: 'Test' }).click();
    await shown.getByText('accepted').waitFor();
    await shown.getByText('HTTP status 204').waitFor();
    await shown.getByText(/^\d+ ms$/).waitFor();
    await picture(page, 'webhook-test');
    expect(await violations(page)).toEqual([]);
    expect(endpoint.received.map(({ body: { event, deliveryId } }) => [event, deliveryId])).toEqual([['test',
      await shown.getByText(/^dlv_/).textContent()]]);
    await shown.getByRole('button', { name: 'Close' }).click();
    endpoint.answer = (_, response) => response.writeHead(503).end();
    await row.getByRole('button', { name: 'Test' }).click();
    await shown.getByText('failed').waitFor();
    await shown.getByText('HTTP status 503').waitFor();
    await shown.getByRole('button', { name: 'Close' }).click();
    await row.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog', { name: 'Delete' }).getByRole('button', { name: 'Delete' }).click();
    await row.waitFor({ state: 'detached' });
    await endpoint.close();
  });

  inTab('#/audit says how the log is switched on, where it is off', async () => {
    await page.route(`${server.url}/v1/audit**`,
      (route) =>
        route.fulfill({ status: 404, json: { error: 'not found: the audit log is disabled', code: 'not_found' } }));
    await open('#/audit');
    await page.getByText('It is on with SVC_AUDIT_ENABLED.').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    await page.unroute(`${server.url}/v1/audit**`);
  });

  inTab('are dark where the system is, and fit a phone', async () => {
    await open();
    const phone = await freshPage({
      viewport: { width: 375, height: 740 },
      isMobile: true,
      hasTouch: true,
      colorScheme: 'dark',
    });
    await phone.addInitScript((kept) => sessionStorage.setItem('quire-session', kept),
      await page.evaluate(() => sessionStorage.getItem('quire-session')!));
    const long = `collections/archive/document?key=${
      encodeURIComponent(`reports/${'a-name-without-spaces-'.repeat(5)}`)
    }&lang=en`;
    for (const address of ['', 'collections/notes?q=tide', 'collections/archive', 'collections/code?q=pilot',
      'collections/code/document?key=queue/pilot.ts&lang=en&lines=71-71', long, `${long}&tab=edit`, 'upload', 'metrics',
      'access'])
    {
      await phone.goto(`${server.url}/console#/${address}`);
      await phone.locator('h1').first().waitFor();
      await expect.poll(() => phone.getByText('Loading…').count()).toBe(0);
      await picture(phone, `phone-${address.replace(/\W+/g, '-').slice(0, 40)}`);
      expect(await phone.evaluate(() => document.documentElement.scrollWidth), address).toBe(375);
      expect(await violations(phone), address).toEqual([]);
    }
    // Rows are cards, whose actions are in sight.
    const { x, width } = (await phone.getByRole('button', { name: 'Disable' }).first().boundingBox())!;
    expect(x + width).toBeLessThanOrEqual(375);
    await phone.getByRole('button', { name: 'Navigation' }).click();
    await picture(phone, 'phone-navigation');
    await phone.getByRole('link', { name: 'Audit' }).click();
    await phone.getByRole('heading', { name: 'Audit' }).waitFor();
    expect(phone.troubles).toEqual([]);
    await phone.context().close();
  });
});

describe('the keyboard', () => {
  inTab('reaches pages and documents from the palette', async () => {
    await open();
    await page.getByRole('heading', { name: 'Collections' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Page, document or command' }).fill('reef early');
    await page.getByRole('option', { name: /sailing/ }).first().waitFor();
    await picture(page, 'palette');
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: /Notes on sailing/ }).waitFor();
  });

  inTab('reaches documents by the beginning of their key', async () => {
    await open();
    await page.getByRole('heading', { name: 'Collections' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Page, document or command' }).fill('theme/li');
    await page.getByRole('option', { name: /theme\/list.html/ }).click();
    await page.getByRole('heading', { name: 'theme/list.html' }).waitFor();
  });

  inTab('tries an operation', async () => {
    await open('#/try?operation=encodeGeohash');
    await page.getByLabel('Body').fill('{"lat": 52.5, "lng": 13.4, "precision": 6}');
    await page.getByRole('button', { name: 'Send' }).press('Enter');
    await page.getByRole('region', { name: 'Answer' }).getByText('u33d').waitFor();
    await picture(page, 'try');
  });
});

describe('automation', () => {
  inTab('switches a rule off and on', async () => {
    await open('#/automation');
    await page.getByRole('button', { name: 'Turn off' }).click();
    await page.getByText('The rule is off').waitFor();
    await page.getByRole('button', { name: 'Turn on' }).click();
    await page.getByText('The rule is on').waitFor();
    await page.getByRole('button', { name: 'Turn off' }).waitFor();
  });

  inTab('tests a rule without telling anybody', async () => {
    await open('#/automation');
    await page.getByRole('button', { name: 'Test' }).click();
    await page.getByText(/10 matches/).waitFor();
    await picture(page, 'automation-test');
  });
});
