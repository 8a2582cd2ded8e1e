import { MapperKind, mapSchema } from '@graphql-tools/utils';
import { defaultFieldResolver, type GraphQLFieldConfig, type GraphQLSchema } from 'graphql';
import type { GraphqlContext } from './context.ts';

/** Makes each field of `Mutation` count before it resolves. */
export function countingMutations(schema: GraphQLSchema): GraphQLSchema {
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
