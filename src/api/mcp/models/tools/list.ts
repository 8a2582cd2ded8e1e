import { ServiceError } from '../../../../errors/index.ts';
import { collectionMissing, collectionsOf } from '../advice.ts';
import { FILTER, limitOf, momentOf, OFFSET } from '../arguments.ts';
import { fitting, shortened } from '../fitting.ts';
import { type ModelTool, roomBeside } from '../model-tool.ts';

export const listCollections: ModelTool = {
  name: 'list_collections',
  title: 'List collections',
  description: 'Names the collections of documents, with their sizes. A good first call.',
  properties: { limit: limitOf(500, 100), offset: OFFSET },
  required: [],
  example: {},
  hint: 'read',
  needs: ['listCollectionConfigs'],
  async run(args, service) {
    const all = await collectionsOf(service);
    const offset = args.get<number>('offset') ?? 0;
    const shown = fitting(all.slice(offset, offset + (args.get<number>('limit') ?? 100)), roomBeside({}, service));
    const next = offset + shown.length;
    return {
      collections: shown,
      total: all.length,
      next_offset: next < all.length ? next : undefined,
      note: all.length === 0
        ? 'there are no collections that you can see; write makes one with its first document'
        : undefined,
    };
  },
};

const DEFAULT_LIMIT = 20;

export const listDocuments: ModelTool = {
  name: 'list_documents',
  title: 'List documents',
  description:
    'Lists the documents of a collection by key or the newest first, without their text. To find documents by ' +
    'their text call search.',
  properties: {
    collection: { type: 'string' },
    filter: FILTER,
    sort: { type: 'string', enum: ['key', 'newest'], default: 'key' },
    limit: limitOf(200, DEFAULT_LIMIT),
    offset: OFFSET,
  },
  required: ['collection'],
  example: { collection: 'blog', sort: 'newest' },
  hint: 'read',
  needs: ['searchDocuments'],
  async run(args, service) {
    const collection = args.text('collection');
    const offset = args.get<number>('offset') ?? 0;
    const { value, headers } = await service.reply('searchDocuments', {
      collection,
      offset,
      limit: args.get<number>('limit') ?? DEFAULT_LIMIT,
      includeContent: false,
      ...args.pick({ filter: 'filterMeta' }),
      ...(args.get('sort') === 'newest' ? { sort: 'updatedAt', asc: false } : {}),
    });
    const total = Number(headers['X-Total-Count'] ?? value.length);
    if (total === 0) {
      const missing = await collectionMissing(service, collection);
      if (missing !== undefined) throw missing;
    }
    const documents = value.map(({ key, lang, meta, updatedAt }) => {
      const title = meta?.['title']?.[0];
      return {
        key,
        lang,
        title: title && shortened(title, 100),
        updated_at: updatedAt === undefined ? undefined : momentOf(updatedAt),
      };
    });
    const shown = fitting(documents, roomBeside({}, service));
    const next = offset + shown.length;
    return { documents: shown, total, next_offset: next < total && shown.length > 0 ? next : undefined };
  },
};

/** Values of each field that the overview shows. */
const SAMPLES = 5;
const MAX_VALUES = 100;
const MAX_VALUE = 80;

export const listFields: ModelTool = {
  name: 'list_fields',
  title: 'List metadata',
  description:
    'Names the metadata fields of a collection with some of their values, for use in filter. With field, counts ' +
    'the documents of each value.',
  properties: {
    collection: { type: 'string' },
    field: { type: 'string', description: 'Count the values of this field.' },
    filter: FILTER,
  },
  required: ['collection'],
  example: { collection: 'blog', field: 'tags' },
  hint: 'read',
  needs: ['listMetaKeys', 'aggregateDocuments'],
  async run(args, service) {
    const collection = args.text('collection');
    const field = args.get<string>('field');
    if (field !== undefined) {
      const { facets, totalDocs } = await service.call('aggregateDocuments', {
        collection,
        facets: [{ field }],
        maxFacetSize: MAX_VALUES,
        ...args.pick({ filter: 'filterMeta' }),
      });
      const values = (facets[field] ?? []).map(({ value, count }) => ({
        value: shortened(String(value), MAX_VALUE),
        count,
      }));
      const shown = fitting(values, roomBeside({}, service));
      return {
        field,
        documents: totalDocs,
        values: shown,
        note: shown.length < values.length || values.length === MAX_VALUES
          ? 'rarer values are left out; narrow them with filter'
          : undefined,
      };
    }
    const { meta } = await service.call('listMetaKeys', { collection });
    const fields = Object.entries(meta).map(([name, values]) => ({
      field: shortened(name, MAX_VALUE),
      values: values.length,
      examples: values.slice(0, SAMPLES).map((value) => shortened(value, MAX_VALUE)),
    }));
    if (fields.length === 0)
      throw await collectionMissing(service, collection) ??
        new ServiceError('not_found', `the documents of ${collection} have no metadata`, {
          body: { advice: 'call search or list_documents without filter' },
        });
    const shown = fitting(fields, roomBeside({}, service));
    return {
      fields: shown,
      note: shown.length < fields.length ? `${fields.length - shown.length} more fields are left out` : undefined,
    };
  },
};
