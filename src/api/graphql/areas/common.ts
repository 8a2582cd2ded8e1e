import { GraphQLScalarType, Kind, parse } from 'graphql';
import { SDL } from '../../../../generated/graphql/sdl.ts';
import { SCALARS } from '../scalars.ts';
import { defineArea } from './area.ts';

/** What several areas use: the scalars, and the roots that the others extend. */
export const common = defineArea('common', { JSONObject: scalar('JSONObject'), Time: scalar('Time'), Long: scalar('Long') });

/** A scalar that is described as the schema says: it takes the place of the one that was read from there. */
function scalar(name: keyof typeof SCALARS): GraphQLScalarType {
  const definition = parse(SDL.common).definitions.find((each) => each.kind === Kind.SCALAR_TYPE_DEFINITION && each.name.value === name);
  const description = definition && 'description' in definition ? definition.description?.value : undefined;
  return new GraphQLScalarType({ ...(SCALARS[name] as object), name, description });
}
