import { parse } from 'graphql';
import { createModule, type Module } from 'graphql-modules';
import type { Resolvers } from '../../../../generated/graphql/resolvers.ts';
import { SDL } from '../../../../generated/graphql/sdl.ts';

/** One area's part of the schema, with its resolvers. */
export function defineArea(area: keyof typeof SDL, resolvers: Resolvers): Module {
  return createModule({ id: area, typeDefs: parse(SDL[area]), resolvers });
}
