import { getDirective, MapperKind, mapSchema } from '@graphql-tools/utils';
import { defaultFieldResolver, type GraphQLFieldConfig, type GraphQLSchema } from 'graphql';
import { ServiceError } from '../../errors/index.ts';
import type { Role } from '../../../generated/graphql/resolvers.ts';
import type { GraphqlContext } from './context.ts';

type Field = GraphQLFieldConfig<unknown, GraphqlContext>;

/** Makes fields with `@auth` or `@hasRole` check the caller before they resolve, and counts the fields of `Mutation`. */
export function withGuards(schema: GraphQLSchema): GraphQLSchema {
  return mapSchema(schema, {
    [MapperKind.OBJECT_FIELD]: (field: Field, _name, type) => {
      const role = getDirective(schema, field, 'hasRole')?.[0]?.['role'] as Role | undefined;
      const isOpen = role === undefined && getDirective(schema, field, 'auth') === undefined;
      const admitted = isOpen ? field : before(field, (context) => admit(context, role));
      if (type === schema.getMutationType()?.name) return before(admitted, (context) => context.countMutation());
      return isOpen ? undefined : admitted;
    },
  });
}

function before(field: Field, check: (context: GraphqlContext) => Promise<void>): Field {
  const { resolve = defaultFieldResolver } = field;
  return {
    ...field,
    async resolve(source, args, context, info) {
      await check(context);
      return resolve(source, args, context, info) as unknown;
    },
  };
}

/** While authentication is switched off, every caller passes. */
async function admit({ signedIn }: GraphqlContext, role: Role | undefined): Promise<void> {
  if (signedIn === undefined) return;
  const principal = await signedIn();
  if (principal === undefined) throw new ServiceError('unauthenticated', 'missing authentication');
  if (role === 'ADMIN' && !principal.admin) throw new ServiceError('admin_required', 'admin permission required');
}
