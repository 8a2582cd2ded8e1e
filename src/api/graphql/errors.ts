import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import { type ErrorCode, ServiceError } from '../../errors/index.ts';
import type { Log } from '../../lib/log.ts';
import { isFault, toServiceError } from '../../operations/index.ts';
import { positionOf } from './limits/document-reader.ts';

/** The messages of GraphQL where they differ from those of REST (contract section 7). */
const MESSAGES: Partial<Record<ErrorCode, string>> = {
  unauthenticated: 'unauthenticated: missing or invalid credentials',
  admin_required: 'forbidden: admin privileges required',
  forbidden: 'permission denied',
  invalid_credentials: 'authentication failed: invalid credentials',
};

/** Most characters of a message. */
const MAX_MESSAGE = 1000;

/** Most nodes of a document that an error points at. */
const SHOWN_LOCATIONS = 4;

/** Most internal errors that are logged for one request: a list of thousands of items may have one in each. */
const LOGGED = 10;

/** How the errors of one request are sent; `requestId` is included in those that only the log explains. */
export function createErrorPresenter(requestId: string,
  log: Pick<Log, 'error'>): (error: unknown) => GraphQLFormattedError
{
  let faults = 0;
  return (error) => {
    const service = serviceErrorOf(error);
    if (isFault(service) && faults++ < LOGGED) {
      log.error({ requestId, path: pathOf(error)?.join('.'), code: service.code, err: service.cause ?? service },
        'request failed');
    }
    return present(service, error, requestId);
  };
}

function present(service: ServiceError, error: unknown, requestId: string): GraphQLFormattedError {
  const locations = locationsOf(error);
  const { code, status, errors } = service;
  return {
    message: MESSAGES[code] ?? service.message,
    locations: locations.length > 0 ? locations : undefined,
    path: pathOf(error),
    extensions: { code, status, errors, requestId: code === 'internal' ? requestId : undefined },
  };
}

/** Returns an error that was thrown on purpose, an error of the client, or an internal error without its message. */
function serviceErrorOf(error: unknown): ServiceError {
  const origin = error instanceof GraphQLError ? (error.originalError ?? error) : error;
  if (isClientFault(error, origin))
    return new ServiceError('invalid_argument', inOurWords((error as GraphQLError).message));
  return toServiceError(origin);
}

/**
 * Errors of parsing, of validation, of variables (which have no path yet) and of arguments come from the library
 * itself. An error of a field without a location in the document is about the value that the field returned.
 */
function isClientFault(error: unknown, origin: unknown): boolean {
  if (!(error instanceof GraphQLError) || !(origin instanceof GraphQLError)) return false;
  return error === origin || error.path === undefined || origin.nodes !== undefined;
}

function locationsOf(error: unknown): { line: number; column: number }[] {
  if (!(error instanceof GraphQLError)) return [];
  const positions = (error.nodes ?? []).slice(0, SHOWN_LOCATIONS).flatMap((node) => positionOf(node) ?? []);
  return positions.length > 0 ? positions : [...(error.locations ?? [])];
}

function pathOf(error: unknown): readonly (string | number)[] | undefined {
  return error instanceof GraphQLError ? error.path : undefined;
}

/**
 * Replaces the one message of the library that clients cannot understand; shortens the others, which may quote the
 * document at length.
 */
function inOurWords(message: string): string {
  if (message === 'Unable to detect operation AST')
    return 'operationName must name one of the operations of the document';
  return message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE)}…` : message;
}
