import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

/** Greatest nesting depth of an input. */
const MAX_DEPTH = 64;

/**
 * Decides, without the server's own code, whether a body is JSON that the operation's schema accepts. A handler may
 * have other reasons to reject it.
 */
export function createOracle(
  inputs: Readonly<Record<string, object>>,
): (operationId: string, body: string | Uint8Array, options: { sanitize: boolean }) => boolean {
  const ajv = new Ajv2020({ strict: false, ownProperties: true, formats: { int64: true } });
  ajv.addKeyword({
    keyword: 'x-max-bytes',
    type: 'string',
    validate: (limit: number, text: string) => Buffer.byteLength(text) <= limit,
  });
  ajv.addKeyword({
    keyword: FLAT,
    compile: (schema: object) => {
      const accepts = ajv.compile(schema);
      return (meta: unknown) =>
        typeof meta !== 'object' || meta === null || Array.isArray(meta) || accepts(flattened(meta));
    },
  });
  const compiled = new Map<string, ValidateFunction>();
  return (operationId, body, { sanitize }) => {
    const value = parsed(body, sanitize);
    if (value === null || typeof value !== 'object' || Array.isArray(value)) return false;
    if (isTooDeep(value) || (!sanitize && hasLoneSurrogates(value))) return false;
    const validate = compiled.get(operationId) ?? ajv.compile(asAccepted(inputs[operationId]!) as object);
    compiled.set(operationId, validate);
    return validate(value);
  };
}

/** Applies its schema to the flat metadata. */
const FLAT = 'x-test-flat';

/** Metadata as they are stored (decision D-135), without regard to any limit. */
function flattened(meta: object): Record<string, string[]> {
  const flat = new Map<string, string[]>();
  const visit = (path: string, value: unknown): void => {
    if (value === null) return;
    if (typeof value !== 'object') flat.set(path, [...(flat.get(path) ?? []), String(value)]);
    else if (Array.isArray(value) && value.every((item) => item === null || typeof item !== 'object')) {
      for (const item of value) visit(path, item);
    } else for (const [key, item] of Object.entries(value)) visit(`${path}.${key}`, item);
  };
  for (const [key, value] of Object.entries(meta)) visit(key, value);
  return Object.fromEntries(flat);
}

/** A schema whose maps with `x-scalars` or `x-flattened` accept what openapi/README.md says. */
function asAccepted(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(asAccepted);
  if (node === null || typeof node !== 'object') return node;
  const schema = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, asAccepted(value)]));
  if (schema['x-flattened'] === true)
    return {
      type: schema['type'],
      [FLAT]: Object.fromEntries(Object.entries(schema).filter(([key]) => key !== 'x-flattened')),
    };
  if (schema['x-scalars'] !== true) return schema;
  const { items, ...list } = schema['additionalProperties'] as { items: object };
  const single = [items, { type: 'number' }, { type: 'boolean' }];
  return { ...schema, additionalProperties: { anyOf: [...single, { ...list, items: { anyOf: single } }] } };
}

function parsed(body: string | Uint8Array, sanitize: boolean): unknown {
  const bytes = Buffer.from(body);
  // An absent body counts as an empty object, in which the required fields are missing.
  if (bytes.length === 0) return {};
  try {
    // A byte order mark at the start is dropped, as RFC 8259 allows.
    return JSON.parse(new TextDecoder('utf-8', { fatal: !sanitize }).decode(bytes));
  } catch {
    return undefined; // neither JSON nor UTF-8: the result is the same
  }
}

/** Iterative, because a recursion would exhaust the stack at the depths to be found. */
function isTooDeep(root: object): boolean {
  let level: object[] = [root];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) return true;
    level = level.flatMap((value) =>
      Object.values(value).filter((child): child is object => child !== null && typeof child === 'object')
    );
  }
  return false;
}

function hasLoneSurrogates(value: unknown): boolean {
  if (typeof value === 'string') return !value.isWellFormed();
  if (value === null || typeof value !== 'object') return false;
  return Object.entries(value).some(([name, child]) => !name.isWellFormed() || hasLoneSurrogates(child));
}
