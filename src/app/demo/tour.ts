import { styleText } from 'node:util';
import { getChecksum, getDocument, getStats, listMetaKeys, listRevisions, restoreRevision, searchDocuments,
  updateDocument } from '../../../generated/docs/sdk/sdk.gen.ts';
import type { Document, ProjectedDocument, SearchDocumentsRequest } from '../../../generated/docs/sdk/types.gen.ts';
import type { ServiceClient } from '../commands/shared/connection.ts';
import { documentTable } from '../commands/shared/document-table.ts';
import { type OutputStream, writeLines } from '../commands/shared/io.ts';
import { fitText, formatBytes, formatCount, formatMoment, plainLine, plural,
  textWidth } from '../commands/shared/output.ts';
import { answered, type SdkAnswer } from '../commands/shared/service-failure.ts';
import type { DemoCorpus, DemoQuestion } from './corpus.ts';

/** The output of the demo. Colours are used only on terminals, and not if `NO_COLOR` is set. */
export class Screen {
  readonly #stream: OutputStream;

  constructor(stream: OutputStream) {
    this.#stream = stream;
  }

  get width(): number {
    return Math.min(this.#stream.columns ?? 100, 120);
  }

  lines(texts: readonly string[]): void {
    writeLines(this.#stream, texts);
  }

  /** The heading of a step: its question, and the request for it. */
  step(question: string, request: string): void {
    this.lines(['', this.#style(['bold', 'cyan'], question), this.#style('dim', request), '']);
  }

  indented(texts: readonly string[]): void {
    this.lines(texts.map((text) => `  ${text}`.trimEnd()));
  }

  note(text: string): void {
    this.indented([this.#style('dim', text)]);
  }

  /** Counts as bars, in the given order; the longest one takes the available width. */
  bars(counts: ReadonlyArray<readonly [label: string, count: number]>): void {
    const labels = Math.min(34, Math.max(...counts.map(([label]) => textWidth(label))));
    const largest = Math.max(1, ...counts.map(([, count]) => count));
    const numbers = counts.map(([, count]) => count.toLocaleString('en-US'));
    const digits = Math.max(...numbers.map((number) => number.length));
    const room = Math.max(10, this.width - labels - digits - 6);
    this.indented(
      counts.map(([label, count], index) =>
        `${fitText(label, labels)}  ${numbers[index]!.padStart(digits)}  ${
          this.#style('green', '█'.repeat(Math.max(1, Math.round((count / largest) * room))))
        }`
      ),
    );
  }

  #style(format: Parameters<typeof styleText>[0], text: string): string {
    return styleText(format, text, { stream: this.#stream });
  }
}

interface TourContext {
  readonly client: ServiceClient;
  readonly corpus: DemoCorpus;
  readonly screen: Screen;
}

type Step = (context: TourContext) => Promise<void>;

/** The steps of the tour, in order. Each sends a request to the service and shows the response. */
export const TOUR: readonly Step[] = [showHoldings, showMetadata, showCounts,
  (context) => showMatches(context, context.corpus.anyOf), (context) => showMatches(context, context.corpus.allOf),
  showDocument, showHistory, showNewest];

async function showHoldings({ client, corpus, screen }: TourContext): Promise<void> {
  const { data: stats } = await timed(client, getStats({ client: client.sdk }));
  const { data: sum } = await timed(client,
    getChecksum({ client: client.sdk, query: { collection: corpus.collection } }));
  screen.step('What does the database hold?', 'GET /v1/stats, GET /v1/checksum');
  screen.indented([
    `${plural(stats.totalDocuments, 'document')}, ${plural(stats.totalRevisions, 'revision')}, ${
      plural(stats.totalMetaIndices, 'metadata value')
    }`,
    `${formatBytes(stats.databaseSize)} on disk, bodies compressed`,
    `checksum of collection ${corpus.collection}: ${sum.checksum}`,
  ]);
}

async function showMetadata({ client, corpus, screen }: TourContext): Promise<void> {
  const { data, took } = await timed(client,
    listMetaKeys({ client: client.sdk, query: { collection: corpus.collection } }));
  screen.step('Which metadata do the documents carry?', `GET /v1/meta-keys?collection=${corpus.collection}`);
  const keys = Object.entries(data.meta).sort(([, a], [, b]) => a.length - b.length);
  const widest = Math.max(...keys.map(([key]) => key.length));
  screen.indented(
    keys.map(([key, values]) =>
      fitText(
        `${key.padEnd(widest)}  ${plural(values.length, 'value').padStart(13)}  ${
          values.slice(0, 8).map(plainLine).join(', ')
        }`,
        screen.width - 2,
      )
    ),
  );
  screen.note(took);
}

/** A request for 0 documents returns only their number, in `X-Total-Count`. */
async function showCounts({ client, corpus, screen }: TourContext): Promise<void> {
  const { collection, facet } = corpus;
  const { data } = await timed(client, listMetaKeys({ client: client.sdk, query: { collection } }));
  const started = performance.now();
  const counts: Array<[string, number]> = [];
  for (const value of data.meta[facet] ?? []) {
    const { total } = await search(client, { collection, filterMeta: { [facet]: [value] }, limit: 0 });
    counts.push([value, total]);
  }
  screen.step(`How many documents has each ${facet}?`,
    `POST /v1/search {"filterMeta": {"${facet}": [VALUE]}, "limit": 0}, for each value`);
  screen.bars(counts.sort(([, a], [, b]) => b - a).slice(0, 12));
  screen.note(
    `${plural(counts.length, 'search', 'searches')} in ${milliseconds(performance.now() - started)}${
      counts.length > 12 ? '; the first 12 are shown' : ''
    }`,
  );
}

async function showMatches({ client, corpus, screen }: TourContext,
  { words, filterMeta }: DemoQuestion): Promise<void>
{
  const body = {
    collection: corpus.collection,
    filterMeta: mutable(filterMeta),
    limit: 6,
    fields: ['title', corpus.facet],
  };
  const { documents, total, took } = await search(client, body);
  screen.step(`Which are the ${words}?`, `POST /v1/search ${JSON.stringify({ filterMeta, limit: 6 })}`);
  screen.indented(documentTable(documents, ['title', corpus.facet], screen.width - 2));
  screen.note(`${formatCount(documents.length)} of ${plural(total, 'match', 'matches')}, ${took}`);
}

async function showDocument({ client, corpus, screen }: TourContext): Promise<void> {
  const { data: document, took } = await timed(client, readShown(client, corpus));
  screen.step('What does one of them say?', `POST /v1/get ${JSON.stringify({ key: corpus.key, lang: 'en' })}`);
  screen.indented(excerpt(document.contentMd, screen.width - 2, 9));
  screen.note(
    `the beginning of ${formatBytes(Buffer.byteLength(document.contentMd))}, last changed ${
      formatMoment(document.updatedAt)
    }, ${took}`,
  );
}

/** Changes the document, shows that both versions exist, and restores the first one. */
async function showHistory({ client, corpus, screen }: TourContext): Promise<void> {
  const { collection, key } = corpus;
  const name = { collection, key, lang: 'en' };
  const before = (await timed(client, readShown(client, corpus))).data;
  const sumBefore = await checksum(client, collection);
  await timed(client, updateDocument({
    client: client.sdk,
    body: { ...name, contentMd: `${before.contentMd}\nThis sentence was added by the demo.\n` },
  }));
  const sumAfter = await checksum(client, collection);

  screen.step('What happens when a document changes?',
    `PATCH /v1/update ${JSON.stringify({ key, contentMd: '…' })}, POST /v1/revisions, POST /v1/revisions/restore`);
  const revisions = (await timed(client, listRevisions({ client: client.sdk, body: name }))).data.revisions;
  screen.indented([`a sentence was added; every version is kept, newest first:`]);
  screen.indented(
    revisions.map(({ revision, updatedAt, contentMd }) =>
      `  revision ${revision}  ${formatMoment(updatedAt)}  ${
        formatBytes(Buffer.byteLength(contentMd)).padStart(9)
      }  ends "${ending(contentMd)}"`
    ),
  );
  screen.indented([`checksum of the collection: ${sumBefore} before, ${sumAfter} after`]);

  const restored =
    (await timed(client,
      restoreRevision({ client: client.sdk, body: { ...name, revision: revisions.at(-1)!.revision } }))).data;
  const same = restored.contentMd === before.contentMd;
  screen.indented([
    `the first version was put back, as a new revision: the text is ${
      same ? 'the original again, byte for byte' : 'not the original'
    }`,
  ]);
}

async function showNewest({ client, corpus, screen }: TourContext): Promise<void> {
  const { documents, took } = await search(client, {
    collection: corpus.collection,
    sort: 'updatedAt',
    limit: 3,
    fields: ['title', 'updatedAt'],
  });
  screen.step('Which documents changed last?', 'POST /v1/search {"sort": "updatedAt", "limit": 3}');
  screen.indented(documentTable(documents, ['updatedAt', 'title'], screen.width - 2));
  screen.note(took);
}

async function search(client: ServiceClient,
  body: SearchDocumentsRequest): Promise<{ documents: ProjectedDocument[]; total: number; took: string }>
{
  const { data, response, took } = await timed(client, searchDocuments({ client: client.sdk, body }));
  return { documents: data, total: Number(response.headers.get('X-Total-Count')), took };
}

const readShown = ({ sdk }: ServiceClient, { collection, key }: DemoCorpus): Promise<SdkAnswer<Document>> =>
  getDocument({ client: sdk, body: { collection, key, lang: 'en' } });

const checksum = async ({ url, sdk }: ServiceClient, collection: string): Promise<string> =>
  (await answered(url, getChecksum({ client: sdk, query: { collection } }))).data.checksum;

/** A response and the time it took, over HTTP and including decoding. */
async function timed<T>({ url }: ServiceClient,
  call: Promise<SdkAnswer<T>>): Promise<{ data: T; response: Response; took: string }>
{
  const started = performance.now();
  const answer = await answered(url, call);
  return { ...answer, took: milliseconds(performance.now() - started) };
}

const milliseconds = (time: number): string => `${time < 10 ? time.toFixed(1) : Math.round(time)} ms`;

const mutable = (filter: DemoQuestion['filterMeta']): Record<string, string[]> =>
  Object.fromEntries(Object.entries(filter).map(([key, values]) => [key, [...values]]));

/** The first lines with text, each truncated to one line of the screen. */
function excerpt(markdown: string, width: number, count: number): string[] {
  const lines = markdown.split('\n').map((line) => line.replaceAll(/<[^>]+>/g, '').trimEnd()).filter((line) =>
    line.trim() !== ''
  );
  return lines.slice(0, count).map((line) => fitText(line.replaceAll(/\p{Cc}/gu, ' '), width).trimEnd());
}

/** The last words of a text. */
const ending = (markdown: string): string => `…${plainLine(markdown.trimEnd().slice(-36))}`;
