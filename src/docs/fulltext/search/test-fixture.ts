import { caughtUp } from '../../../operations/index.ts';
import { type ColumnsFactory, type ColumnsView, createColumns } from '../../columns/index.ts';
import { createCuration } from '../../curation/index.ts';
import { type DriverName, Fixture } from '../../documents/test-fixture.ts';
import type { DocsSettings } from '../../environment.ts';
import type { NeighbourModelsOptions } from '../expansion/neighbour-models.ts';
import { createFullText, createFullTextSearch, type FullTextSearch } from '../index.ts';
import type { TextIndexes } from '../view/text-index.ts';

/**
 * For tests: documents, dictionaries, curation and searches over one database; a write resolves when it can be found.
 */
export class SearchFixture {
  readonly base: Fixture;
  readonly search: FullTextSearch;
  readonly columns: ColumnsView;

  private constructor(base: Fixture, search: FullTextSearch, columns: ColumnsView) {
    this.base = base;
    this.search = search;
    this.columns = columns;
  }

  static async open(driver: DriverName, fullText: NonNullable<DocsSettings['fullText']> = {},
    neighbours: NeighbourModelsOptions = {}, indexes?: TextIndexes, factory?: ColumnsFactory): Promise<SearchFixture>
  {
    const base = await Fixture.open(driver);
    const columns = factory === undefined
      ? base.columns
      : createColumns(base.environment, { collections: base.collections, factory });
    if (factory !== undefined) await columns.start();
    const environment = { ...base.environment, settings: { ...base.environment.settings, fullText } };
    const dictionaries = createFullText(environment, { columns, geo: base.geo.view });
    const curation = createCuration(environment);
    const search = createFullTextSearch(environment, {
      fullText: dictionaries,
      collections: base.collections,
      curation,
      columns,
      geo: base.geo.view,
      neighbours,
      ...(indexes && { indexes }),
    });
    await search.view.start();
    const handlers = { ...base.documents.handlers, ...dictionaries.handlers, ...curation.handlers, ...search.handlers };
    base.use(handlers, { caughtUp: caughtUp({ words: search.view, columns, places: base.geo.view }) });
    return new SearchFixture(base, search, columns);
  }

  get call(): Fixture['call'] {
    return this.base.call.bind(this.base);
  }

  /** Stores a document. */
  add(key: string, contentMd: string, meta: Record<string, string[]> = {}, more: object = {}) {
    return this.call('addDocument', { collection: 'c', key, lang: 'en', contentMd, meta, ...more });
  }

  /** Searches the collection `c`. */
  find(query: string, more: object = {}) {
    return this.call('searchFullText', { collection: 'c', query, ...more });
  }

  /** Keys of the results of a search, best first. */
  async keys(query: string, more: object = {}): Promise<string[]> {
    return (await this.find(query, more)).results.map(({ document }) => document.key);
  }

  async close(): Promise<void> {
    await this.search.view.stop();
    await this.columns.stop();
    await this.base.close();
  }
}
