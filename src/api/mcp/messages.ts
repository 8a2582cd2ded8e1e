import { PROTOCOL_VERSION_META_KEY } from '@modelcontextprotocol/server';
import type { ValidateFunction } from 'ajv';
import { ConfigError } from '../../lib/setting-values.ts';
import { createAjv } from '../../operations/index.ts';
import { INVALID_PARAMS, McpFault, UNSUPPORTED_REVISION } from './core/fault.ts';

/** The revision without sessions: every request is independent. */
export const STATELESS = '2026-07-28';

/** The revision that begins with `initialize`. */
export const HANDSHAKE = '2025-11-25';

/** The revisions that are served, newest first. */
const REVISIONS: readonly string[] = [STATELESS, HANDSHAKE];

/** Which revisions a server serves. */
export interface Revisions {
  readonly supported: readonly string[];
  /** Whether the settings allow only one revision. */
  readonly pinned: boolean;
}

/**
 * The revisions that remain if one is pinned; all if the pin is empty. Throws `ConfigError` for an unknown revision.
 */
export function pinRevision(pin: string): Revisions {
  if (pin === '') return { supported: REVISIONS, pinned: false };
  if (REVISIONS.includes(pin)) return { supported: [pin], pinned: true };
  throw new ConfigError([`SVC_MCP_PROTOCOL_VERSION: expected one of ${REVISIONS.join(', ')}, got ${pin}`]);
}

/** A JSON-RPC message, not yet checked. */
export type Message = Readonly<Record<string, unknown>>;

/** Methods that only the revision without sessions has. */
const STATELESS_METHODS: ReadonlySet<unknown> = new Set(['server/discover', 'subscriptions/listen']);

/** The revision that a request declares, valid or not. */
function claimedRevision({ params }: Message): unknown {
  const meta = (params as Message | null | undefined)?.['_meta'];
  return (meta as Message | null | undefined)?.[PROTOCOL_VERSION_META_KEY];
}

/** Whether a message belongs to the revision without sessions, by its contents. */
export function isStatelessMessage(message: Message): boolean {
  return STATELESS_METHODS.has(message['method']) || claimedRevision(message) !== undefined;
}

/**
 * Throws `McpFault` if a message of the revision without sessions declares no revision, or one that this server does
 * not serve.
 */
export function checkStateless(message: Message, { supported }: Revisions): void {
  const requested = claimedRevision(message);
  if (!supported.includes(STATELESS)) {
    throw new McpFault(UNSUPPORTED_REVISION, `Unsupported protocol version; this server is pinned to ${HANDSHAKE}`, {
      supported: [...supported],
      requested: typeof requested === 'string' ? requested.slice(0, 64) : STATELESS,
    });
  }
  if (requested === undefined)
    throw new McpFault(INVALID_PARAMS, `Invalid params: params._meta must have "${PROTOCOL_VERSION_META_KEY}"`);
}

const text = { type: 'string' };
const texts = { type: 'object', additionalProperties: text };
const listing = { type: 'object', properties: { cursor: text } };

/** The schema of each method's parameters; other parameters are dropped. */
const PARAMS: Readonly<Record<string, object>> = {
  'tools/list': listing,
  'resources/list': listing,
  'resources/templates/list': listing,
  'prompts/list': listing,
  'tools/call': { type: 'object', required: ['name'], properties: { name: text, arguments: { type: 'object' } } },
  'resources/read': { type: 'object', required: ['uri'], properties: { uri: text } },
  'prompts/get': { type: 'object', required: ['name'], properties: { name: text, arguments: texts } },
  'completion/complete': {
    type: 'object',
    required: ['ref', 'argument'],
    properties: {
      ref: {
        type: 'object',
        required: ['type'],
        properties: { type: { enum: ['ref/prompt', 'ref/resource'] } },
        if: { properties: { type: { const: 'ref/prompt' } } },
        then: { required: ['name'], properties: { name: text } },
        else: { required: ['uri'], properties: { uri: text } },
      },
      argument: { type: 'object', required: ['name', 'value'], properties: { name: text, value: text } },
      context: { type: 'object', properties: { arguments: texts } },
    },
  },
};

const INITIALIZE = {
  type: 'object',
  required: ['protocolVersion', 'capabilities', 'clientInfo'],
  properties: {
    protocolVersion: text,
    capabilities: { type: 'object' },
    clientInfo: { type: 'object', required: ['name', 'version'], properties: { name: text, version: text } },
  },
};

const META = { type: 'object', properties: { progressToken: { type: ['string', 'integer'] } } };

const SCHEMAS: ReadonlyMap<string, object> = new Map(Object.entries({ ...PARAMS, initialize: INITIALIZE }));
const OTHERS = { type: 'object' };

let ajv: ReturnType<typeof createAjv> | undefined;
/** By schema; compiled when first needed, because compiling all of them would delay the start of a server. */
const validators = new Map<object, ValidateFunction>();

function validatorOf(schema: object): ValidateFunction {
  let validator = validators.get(schema);
  if (validator === undefined) {
    ajv ??= createAjv({ useDefaults: false });
    validators.set(schema, validator = ajv.compile(withMeta(schema)));
  }
  return validator;
}

function withMeta(schema: { readonly type?: string; readonly properties?: object }): object {
  return { ...schema, properties: { ...schema.properties, _meta: META } };
}

/**
 * Throws `McpFault` with a readable message for invalid parameters: the SDKs would report them as an internal error.
 * Returns the message with only those parameters that its method has.
 */
export function checkMessage(message: Message): Message {
  const { method, params } = message;
  if (typeof method !== 'string') return message;
  // Without sessions there is no `initialize` method, whatever its parameters.
  const validate = validatorOf(
    (method === 'initialize' && isStatelessMessage(message) ? undefined : SCHEMAS.get(method)) ?? OTHERS,
  );
  // A request without `params` counts as one with empty `params`.
  if (!validate(params ?? {})) throw new McpFault(INVALID_PARAMS, `Invalid params: ${describe(validate)}`);
  const known = (PARAMS[method] as { properties?: object } | undefined)?.properties;
  if (known === undefined || params === undefined) return message;
  const kept = Object.entries(params as object).filter(([name]) => name === '_meta' || Object.hasOwn(known, name));
  return { ...message, params: Object.fromEntries(kept) };
}

function describe({ errors }: ValidateFunction): string {
  const error = errors?.find(({ keyword }) => keyword !== 'if');
  if (error?.keyword === 'required')
    return `missing ${[...error.instancePath.split('/').slice(1), String(error.params['missingProperty'])].join('.')}`;
  return `${['params', ...(error?.instancePath.split('/').slice(1) ?? [])].join('.').slice(0, 80)} ${
    error?.message ?? 'is not valid'
  }`;
}
