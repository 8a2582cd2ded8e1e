import { GraphQLScalarType, Kind, parse } from 'graphql';
import { createModule, type Module } from 'graphql-modules';
import type { Resolvers } from '../../../../generated/graphql/resolvers.ts';
import { SDL } from '../../../../generated/graphql/sdl.ts';
import { SCALARS } from '../scalars.ts';

/** One area's part of the schema, with its resolvers. */
export function defineArea(area: keyof typeof SDL, resolvers: Resolvers): Module {
  return createModule({ id: area, typeDefs: parse(SDL[area]), resolvers });
}

/** What several areas use: the scalars, and the root types that the other areas extend. */
export const common = defineArea('common', {
  JSONObject: scalar('JSONObject'),
  Time: scalar('Time'),
  Long: scalar('Long'),
});

/** A scalar with the description that the schema gives it; it replaces the scalar that was parsed from the schema. */
function scalar(name: keyof typeof SCALARS): GraphQLScalarType {
  const definition = parse(SDL.common).definitions.find((each) =>
    each.kind === Kind.SCALAR_TYPE_DEFINITION && each.name.value === name
  );
  const description = definition && 'description' in definition ? definition.description?.value : undefined;
  return new GraphQLScalarType({ ...(SCALARS[name] as object), name, description });
}
