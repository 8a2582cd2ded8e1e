/** Dumps of wikis: pages from XML, and wikitext as markdown. */
export { keyOf, type WikiDocument } from './convert-page.ts';
export { WikiDumpError, type Revision, type WikiPage } from './page.ts';
export { PageReader } from './page-reader.ts';
export { readDump, type DumpBatch, type DumpOptions } from './read-dump.ts';
export { siteOf, type Site } from './site.ts';
export { wikitextToMarkdown, type WikitextPage } from './wikitext/index.ts';
