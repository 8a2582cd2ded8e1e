// Adds, reads and searches documents of a Quire server. Usage: docs.js URL
import { AuditApi, Configuration, DocumentsApi, type ErrorBody, ErrorBodyFromJSON, FulltextApi,
  ResponseError } from './client';

// A server without accounts needs no token.
const configuration = new Configuration({ basePath: process.argv[2]!, accessToken: process.env['QUIRE_TOKEN'] });
const documents = new DocumentsApi(configuration);
const fulltext = new FulltextApi(configuration);
const audit = new AuditApi(configuration);

const collection = 'examples';
const lang = 'en';

async function main(): Promise<void> {
  for (const [key, contentMd, year] of [['hello', '# Hello', '2026'], ['goodbye', '# Goodbye', '1999']] as const) {
    const added = await documents.addDocument({
      addDocumentRequest: { collection, key, lang, contentMd, meta: { kind: [key], year: [year] } },
    });
    console.log('added', added.key);
  }

  const document = await documents.getDocument({ getDocumentRequest: { collection, key: 'hello', lang } });
  console.log('read', document.contentMd);

  const listed = await documents.searchDocuments({
    searchDocumentsRequest: { collection, filterMeta: { kind: ['hello'] } },
  });
  for (const { key } of listed) console.log('filtered', key);

  const found = await fulltext.searchFullText({
    searchFullTextRequest: {
      collection,
      query: 'hello goodbye',
      filterMeta: { kind: ['hello', 'goodbye'] },
      rangeMeta: [{ field: 'year', gte: 2000 }],
      highlight: true,
    },
  });
  for (const { document: { key }, highlights } of found.results)
    console.log('found', key, highlights?.[0]?.fragment ?? '');

  try {
    await documents.getDocument({ getDocumentRequest: { collection, key: 'absent', lang } });
  } catch (error) {
    console.log('refused', (await refusal(error)).code);
  }

  const { events: [newest] } = await audit.listAuditEvents({ action: 'write./v1/add', limit: 1 });
  // The time is beyond 2^53, where a number of JavaScript is rounded to a multiple of 256.
  if (newest && newest.ts > Number.MAX_SAFE_INTEGER) console.log('audited', newest.action, 'in nanoseconds');
}

/** The body of a refusal: `code` is the reason for programs, `error` the one for people. */
async function refusal(error: unknown): Promise<ErrorBody> {
  if (!(error instanceof ResponseError)) throw error;
  return ErrorBodyFromJSON(await error.response.json());
}

void main();
