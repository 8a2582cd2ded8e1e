import type { OperationSpec } from '../../operations/index.ts';

/** Finds the operation of a request. */
export interface Routes {
  /** Returns `undefined` if no operation has the path; the allowed methods if none has this method. */
  match(method: string, path: string): Match | readonly string[] | undefined;
}

export interface Match {
  readonly spec: OperationSpec;
  readonly parameters: Readonly<Record<string, string>>;
}

interface Template {
  readonly pattern: RegExp;
  readonly byMethod: Map<string, OperationSpec>;
}

const NO_PARAMETERS = {};

/**
 * Nearly all paths of the contracts have no parameters, so they are found in a map; the few templates are tried one by
 * one. HEAD is handled as GET. A parameter at the end of a path may be empty: validation then reports it as missing, by
 * its name.
 */
export function createRoutes(operations: Iterable<OperationSpec>): Routes {
  const exact = new Map<string, Map<string, OperationSpec>>();
  const templates = new Map<string, Template>();
  for (const spec of operations) {
    const methods = spec.path.includes('{') ? templateOf(templates, spec.path).byMethod : mapOf(exact, spec.path);
    methods.set(spec.method, spec);
    if (spec.method === 'GET') methods.set('HEAD', spec);
  }
  return {
    match: (method, path) => {
      const methods = exact.get(path);
      if (methods) return found(methods, method, NO_PARAMETERS);
      for (const { pattern, byMethod } of templates.values()) {
        const match = pattern.exec(path);
        if (match) return found(byMethod, method, decoded(match.groups ?? {}));
      }
      return undefined;
    },
  };
}

function found(methods: Map<string, OperationSpec>, method: string, parameters: Record<string, string>): Match
  | readonly string[]
{
  const spec = methods.get(method);
  return spec ? { spec, parameters } : [...methods.keys()];
}

function mapOf(exact: Map<string, Map<string, OperationSpec>>, path: string): Map<string, OperationSpec> {
  const methods = exact.get(path) ?? new Map<string, OperationSpec>();
  exact.set(path, methods);
  return methods;
}

function templateOf(templates: Map<string, Template>, path: string): Template {
  const pattern = path.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{(\w+)\}$/, '(?<$1>[^/]*)').replace(/\{(\w+)\}/g,
    '(?<$1>[^/]+)');
  const template = templates.get(path) ??
    { pattern: new RegExp(`^${pattern}$`), byMethod: new Map<string, OperationSpec>() };
  templates.set(path, template);
  return template;
}

function decoded(groups: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(groups).map(([name, value]) => [name, decode(value)]));
}

/** An invalid escape stays as it is: the path then matches nothing, which is a 404 rather than an internal error. */
function decode(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
