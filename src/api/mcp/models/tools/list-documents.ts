import { collectionMissing } from '../advice.ts';
import { FILTER, limitOf, momentOf, OFFSET } from '../arguments.ts';
import { fitting, shortened } from '../fitting.ts';
import { type ModelTool, roomBeside } from '../model-tool.ts';

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
        ...(title === undefined ? {} : { title: shortened(title, 100) }),
        ...(updatedAt === undefined ? {} : { updated_at: momentOf(updatedAt) }),
      };
    });
    const shown = fitting(documents, roomBeside({}, service));
    const next = offset + shown.length;
    return { documents: shown, total, ...(next < total && shown.length > 0 ? { next_offset: next } : {}) };
  },
};
