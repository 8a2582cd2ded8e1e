/** Dumps of wikis: pages from XML, and wikitext as markdown. */
export { keyOf, type WikiDocument } from './convert-page.ts';
export { PageReader } from './page-reader.ts';
export { type Revision, WikiDumpError, type WikiPage } from './page.ts';
export { type DumpBatch, type DumpOptions, readDump } from './read-dump.ts';
export { type Site, siteOf } from './site.ts';
export { type WikitextPage, wikitextToMarkdown } from './wikitext/index.ts';
