// Makes the files of the playground in a thread, because loading the package and compressing 9 MB would block the event
// loop.
import { renderGraphiQL } from '@graphql-yoga/render-graphiql';
import { createHash } from 'node:crypto';
import { parentPort } from 'node:worker_threads';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { PlaygroundFile, PlaygroundOptions } from './index.ts';
import { splitPage } from './split-page.ts';

/** The highest quality level that is still fast. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };

const FAVICON = 'data:image/svg+xml,'
  + encodeURIComponent(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path d="M8 1l6 3.5v7L8 15l-6-3.5v-7z" ' +
      'fill="none" stroke="#e10098" stroke-width="2"/></svg>',
  );

const QUERY = `# Ctrl+Enter runs the query. The schema is in the panel on the left.
query Numbers {
  stats {
    totalDocuments
    collections { name documentCount }
  }
}
`;

function file(type: string, text: string): PlaygroundFile {
  const bytes = Buffer.from(text);
  const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
  return { type: `${type}; charset=utf-8`, etag, br: brotliCompressSync(bytes, BROTLI), gzip: gzipSync(bytes) };
}

parentPort!.on('message', ({ endpoint, base }: PlaygroundOptions) => {
  const page = renderGraphiQL({ endpoint, title: 'Quire GraphQL', favicon: FAVICON, defaultQuery: QUERY });
  const { html, css, js } = splitPage(page, { css: `${base}/graphiql.css`, js: `${base}/graphiql.js` });
  parentPort!.postMessage(
    new Map([['', file('text/html', html)], ['/graphiql.css', file('text/css', css)], ['/graphiql.js',
      file('text/javascript', js)]]),
  );
});
