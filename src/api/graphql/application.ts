import { makeExecutableSchema } from '@graphql-tools/schema';
import { MapperKind, mapSchema } from '@graphql-tools/utils';
import { defaultFieldResolver, type GraphQLFieldConfig, type GraphQLSchema } from 'graphql';
import { type Application, createApplication, type Module } from 'graphql-modules';
import { access } from './areas/access.ts';
import { common } from './areas/area.ts';
import { codegraph, documents, ingest } from './areas/documents.ts';
import { fulltext } from './areas/fulltext.ts';
import { hybrid, memory } from './areas/hybrid.ts';
import { schemas, system, webhooks } from './areas/system.ts';
import { vectors } from './areas/vectors.ts';
import type { GraphqlContext } from './context.ts';

/** The areas of the schema; the first one has the root types that the others extend. */
const AREAS: readonly Module[] = [common, documents, ingest, fulltext, vectors, hybrid, memory, codegraph, system,
  schemas, webhooks, access];

/**
 * The schema parts of all areas as one schema, and the function that executes it. `@auth` and `@hasRole` only describe:
 * each field invokes an operation, which refuses callers itself, so that the audit log has the attempt.
 */
export function createGraphqlApplication(): Application {
  return createApplication({
    modules: AREAS,
    schemaBuilder: (parts) => countingMutations(makeExecutableSchema(parts)),
  });
}

/** Makes each field of `Mutation` count before it resolves. */
function countingMutations(schema: GraphQLSchema): GraphQLSchema {
  return mapSchema(schema, {
    [MapperKind.MUTATION_ROOT_FIELD]: (field: GraphQLFieldConfig<unknown, GraphqlContext>) => {
      const { resolve = defaultFieldResolver } = field;
      return {
        ...field,
        async resolve(source, args, context, info) {
          await context.countMutation();
          return resolve(source, args, context, info) as unknown;
        },
      };
    },
  });
}
