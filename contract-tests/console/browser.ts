import { mkdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type Browser, type BrowserContextOptions, chromium as playwright, type Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { chromiumPath } from '../support/chromium.ts';

/** A browser, or the reason why none is available on this machine. */
export type Launched = { readonly browser: Browser } | { readonly reason: string };

/** Replaces the package's flags: a browser with a single process exits when the first context is closed. */
const ARGS = ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'];

/**
 * Starts the Chromium of the package. It needs Linux on x64 and free space in the temporary folder. With
 * `QUIRE_TEST_BROWSER=required`, as in CI, tests fail without it.
 */
export async function launch(): Promise<Launched> {
  try {
    return { browser: await playwright.launch({ executablePath: await chromiumPath(), args: ARGS, headless: true }) };
  } catch (error) {
    if (process.env['QUIRE_TEST_BROWSER'] === 'required') throw error;
    return {
      reason: `no browser starts here: ${error instanceof Error ? error.message.split('\n')[0]! : String(error)}`,
    };
  }
}

/**
 * A page that records its problems: exceptions, violations of the content security policy, errors in the browser's
 * console.
 */
export interface WatchedPage extends Page {
  readonly troubles: string[];
}

export async function openPage(browser: Browser, options: BrowserContextOptions = {}): Promise<WatchedPage> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 860 },
    reducedMotion: 'reduce',
    ...options,
  });
  context.setDefaultTimeout(10_000);
  const page = Object.assign(await context.newPage(), { troubles: [] as string[] });
  page.on('pageerror', (error) => page.troubles.push(String(error)));
  page.on('console', (message) => {
    // The browser reports rejected requests itself; the pages show them.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      page.troubles.push(message.text());
  });
  return page;
}

/** A test in the browser, skipped with the reason if there is no browser. The page must not report problems. */
export function inBrowser(name: string, launched: () => Launched, page: () => WatchedPage,
  run: () => Promise<void>): void
{
  it(name, async (context) => {
    const given = launched();
    if ('reason' in given) return context.skip(given.reason);
    await run();
    expect(page().troubles.splice(0)).toEqual([]);
  });
}

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

interface AxeViolation {
  readonly id: string;
  readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary?: string }[];
}

/** The violations that axe finds on a page, one line for each element. */
export async function violations(page: Page): Promise<string[]> {
  await page.evaluate(await readFile(AXE, 'utf8'));
  const found = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: { run: (options: object) => Promise<{ violations: AxeViolation[] }> };
    };
    return (await axe.run({ resultTypes: ['violations'] })).violations;
  });
  return found.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary = '' }) => `${id}: ${target.join(' ')} ${failureSummary.replaceAll('\n', ' ')}`)
  );
}

/** Writes a screenshot of a page if `QUIRE_SCREENSHOTS` names a folder. */
export async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env['QUIRE_SCREENSHOTS'];
  if (folder === undefined) return;
  await mkdir(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`) });
}
