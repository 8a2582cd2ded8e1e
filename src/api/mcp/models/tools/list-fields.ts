import { ServiceError } from '../../../../errors/index.ts';
import { collectionMissing } from '../advice.ts';
import { FILTER } from '../arguments.ts';
import { fitting, shortened } from '../fitting.ts';
import { type ModelTool, roomBeside } from '../model-tool.ts';

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
        ...(shown.length < values.length || values.length === MAX_VALUES
          ? { note: 'rarer values are left out; narrow them with filter' }
          : {}),
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
      ...(shown.length < fields.length ? { note: `${fields.length - shown.length} more fields are left out` } : {}),
    };
  },
};
