// The main content of web pages: phrases that a reader wants, and phrases of what surrounds the content, as people
// noted them for the evaluation set of trafilatura (https://github.com/adbar/trafilatura, folder `tests`).
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConversionError, type Converter } from '../../src/convert/index.ts';

/** The commit of trafilatura at which the figures in RESULTS.md were measured. */
export const WEB_PAGES_COMMIT = 'e90b0ef51ab026fdb905fb6c5b3c84dd3d784fd5';

interface Page {
  readonly file: string;
  readonly with?: readonly string[];
  readonly without?: readonly string[];
}

export interface WebPagesResult {
  readonly pages: number;
  /** Phrases that are wanted, and how many of them are kept. */
  readonly wanted: number;
  readonly kept: number;
  readonly unwanted: number;
  readonly left: number;
  readonly refused: number;
}

/** Converts the pages of a folder that holds `evaldata.json`, `eval` and `cache`, four at a time. */
export async function measureWebPages(folder: string, converter: Converter): Promise<WebPagesResult> {
  const pages = Object.values(JSON.parse(readFileSync(join(folder, 'evaldata.json'), 'utf8')) as Record<string, Page>);
  const result = { pages: pages.length, wanted: 0, kept: 0, unwanted: 0, left: 0, refused: 0 };
  const one = async ({ file, with: wanted = [], without: unwanted = [] }: Page): Promise<void> => {
    const path = ['eval', 'cache'].map((part) => join(folder, part, file)).find(existsSync);
    if (path === undefined) throw new Error(`${file} is missing in ${folder}`);
    const text = comparable(await textOf(path, converter) ?? (result.refused++, ''));
    const found = (phrases: readonly string[]) => phrases.filter((phrase) => text.includes(comparable(phrase))).length;
    result.wanted += wanted.length;
    result.kept += found(wanted);
    result.unwanted += unwanted.length;
    result.left += found(unwanted);
  };
  for (let i = 0; i < pages.length; i += 4) await Promise.all(pages.slice(i, i + 4).map(one));
  return result;
}

async function textOf(path: string, converter: Converter): Promise<string | undefined> {
  try {
    const file = { bytes: Uint8Array.from(readFileSync(path)), name: 'page.html' };
    return (await converter.convert(file, { mainContent: true, textOnly: true })).contentMd;
  } catch (error) {
    if (error instanceof ConversionError) return undefined;
    throw error;
  }
}

function comparable(text: string): string {
  return text.normalize('NFC').replace(/[\u200b\u00ad]/g, '').replace(/\s+/g, ' ').trim();
}
