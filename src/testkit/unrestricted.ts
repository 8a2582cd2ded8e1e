import { EVERYONE, type Identity, type Standing } from '../operations/index.ts';

/**
 * What tests pass to handlers that they call without the pipeline: the rights of a caller who may do everything, for as
 * long as the test runs.
 */
export const UNRESTRICTED: Standing & { readonly identity: Identity } = {
  identity: EVERYONE,
  requirePermission: () => Promise.resolve(),
  isPermitted: () => true,
};
