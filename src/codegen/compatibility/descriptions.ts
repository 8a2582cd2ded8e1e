import { type MediaTypeObject, type OpenApiDocument, type OperationObject, operationsOf, type ParameterObject, resolve,
  type ResponseObject } from '../openapi-types.ts';
import { type Direction, type Finding, SchemaComparison } from './schemas.ts';
import { same } from './shapes.ts';

/**
 * Finds changes in the current description that break clients written for or generated from the published one. Returns
 * one line for each, with the operation and the location. Additions, accepting more and promising more are compatible.
 */
export function breakingChanges(published: OpenApiDocument, present: OpenApiDocument): Finding[] {
  const comparison = new DescriptionComparison(published, present);
  return [...comparison.operations(), ...comparison.webhooks()];
}

interface Operation {
  readonly name: string;
  /** Path and method, with path parameters identified by position, because their names do not matter to clients. */
  readonly address: string;
  readonly operation: OperationObject;
}

class DescriptionComparison {
  readonly #published: OpenApiDocument;
  readonly #present: OpenApiDocument;
  readonly #schemas: Readonly<Record<Direction, SchemaComparison>>;

  constructor(published: OpenApiDocument, present: OpenApiDocument) {
    this.#published = published;
    this.#present = present;
    this.#schemas = {
      request: new SchemaComparison(published, present, 'request'),
      answer: new SchemaComparison(published, present, 'answer'),
    };
  }

  operations(): Finding[] {
    const now = new Map(listed(this.#present).map((each) => [each.address, each.operation]));
    return listed(this.#published).flatMap(({ name, address, operation }) => {
      const other = now.get(address);
      return within(name, other === undefined ? ['was removed'] : this.#operation(operation, other));
    });
  }

  /** Here the server sends and clients respond, so the guarantees of a body must not become weaker. */
  webhooks(): Finding[] {
    const now = new Map(webhooksOf(this.#present).map((each) => [each.address, each.operation]));
    return webhooksOf(this.#published).flatMap(({ name, address, operation }) => {
      const other = now.get(address);
      return within(name,
        other === undefined
          ? ['was removed']
          : [...this.#parameters(operation, other, 'answer'),
            ...this.#media(operation.requestBody?.content, other.requestBody?.content, 'body', 'answer'),
            ...Object.keys(operation.responses).filter((status) => !(status in other.responses)).map((status) =>
              `status ${status} was removed`
            )]);
    });
  }

  #operation(was: OperationObject, now: OperationObject): Finding[] {
    return [
      ...(was.operationId === now.operationId
        ? []
        : [`operationId is now ${now.operationId}, by which clients name their functions`]),
      ...access(was, now),
      ...this.#parameters(was, now, 'request'),
      ...this.#body(was.requestBody, now.requestBody),
      ...Object.keys(was.responses).flatMap((status) => this.#response(status, was, now)),
    ];
  }

  #parameters(was: OperationObject, now: OperationObject, direction: Direction): Finding[] {
    const before = parametersOf(this.#published, was);
    const after = parametersOf(this.#present, now);
    const added = [...after].filter(([key, parameter]) =>
      !before.has(key) && parameter.required === true && direction === 'request'
    );
    return [...added.map(([key]) => `${key} was added and is required`), ...[...before].flatMap(([key, parameter]) => {
      const other = after.get(key);
      return other === undefined ? [`${key} was removed`] : this.#parameter(key, parameter, other, direction);
    })];
  }

  #parameter(key: string, was: ParameterObject, now: ParameterObject, direction: Direction): Finding[] {
    const form = (parameter: ParameterObject) => [(parameter as Styled).style, (parameter as Styled).explode];
    const required = direction === 'request'
      ? !was.required && now.required === true
      : was.required === true && !now.required;
    return [...(required ? [`${key} ${direction === 'request' ? 'is now required' : 'may now be absent'}`] : []),
      ...(same(form(was), form(now)) ? [] : [
        `${key} is written in another way: style and explode are ${JSON.stringify(form(now))}, were ${
          JSON.stringify(form(was))
        }`,
      ]), ...this.#schemas[direction].breaks(was.schema, now.schema, key)];
  }

  #body(was: OperationObject['requestBody'], now: OperationObject['requestBody']): Finding[] {
    if (was === undefined) return now?.required === true ? ['body was added and is required'] : [];
    if (now === undefined) return ['body was removed'];
    return [...(now.required === true && was.required !== true ? ['body is now required'] : []),
      ...this.#media(was.content, now.content, 'body', 'request')];
  }

  #response(status: string, was: OperationObject, now: OperationObject): Finding[] {
    const other = now.responses[status];
    if (other === undefined) return [`status ${status} was removed`];
    const [before, after] = [resolve<ResponseObject>(this.#published, was.responses[status]!),
      resolve<ResponseObject>(this.#present, other)];
    const headers = Object.keys(before.headers ?? {}).filter((name) =>
      !Object.keys(after.headers ?? {}).some((each) => each.toLowerCase() === name.toLowerCase())
    );
    return [...headers.map((name) => `status ${status}: header ${name} was removed`),
      ...this.#media(before.content, after.content, `status ${status}: body`, 'answer')];
  }

  #media(was: Content | undefined, now: Content | undefined, place: string, direction: Direction): Finding[] {
    return Object.entries(was ?? {}).flatMap(([type, media]) => {
      const other = now?.[type];
      if (other === undefined) return [`${place} as ${type} was removed`];
      return this.#schemas[direction].breaks(media.schema ?? true, other.schema ?? true, place);
    });
  }
}

type Content = Record<string, MediaTypeObject>;

interface Styled {
  readonly style?: string;
  readonly explode?: boolean;
}

interface WithWebhooks {
  readonly webhooks?: Record<string, Record<string, OperationObject>>;
}

function listed(document: OpenApiDocument): Operation[] {
  return [...operationsOf(document)].map(({ path, method, operation }) => ({
    name: `${method.toUpperCase()} ${path} (${operation.operationId})`,
    address: `${method} ${path.replaceAll(/\{[^}]*\}/g, '{}')}`,
    operation,
  }));
}

function webhooksOf(document: OpenApiDocument): Operation[] {
  const { webhooks = {} } = document as WithWebhooks;
  return Object.entries(webhooks).flatMap(([name, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      name: `webhook ${name}`,
      address: `${method} ${name}`,
      operation,
    }))
  );
}

function parametersOf(document: OpenApiDocument, operation: OperationObject): Map<string, ParameterObject> {
  const parameters = (operation.parameters ?? []).map((each) => resolve(document, each));
  const inPath = parameters.filter((each) => each.in === 'path');
  const key = (each: ParameterObject) =>
    each.in === 'path'
      ? `path parameter ${inPath.indexOf(each) + 1}`
      : `${each.in === 'query' ? 'query parameter' : each.in} ${
        each.in === 'header' ? each.name.toLowerCase() : each.name
      }`;
  return new Map(parameters.map((each) => [key(each), each]));
}

/**
 * For each access, those to which it may change without excluding a caller; write permission does not include read
 * permission.
 */
const ALSO: Readonly<Record<string, readonly string[]>> = {
  public: [],
  user: ['public'],
  read: ['user', 'public'],
  write: ['user', 'public'],
  admin: ['read', 'write', 'user', 'public'],
};

function access(was: OperationObject, now: OperationObject): Finding[] {
  const [before, after] = [was['x-access'], now['x-access']];
  const open = before === after || (ALSO[before] ?? []).includes(after);
  const schemes = (now.security ?? []).map((each) => Object.keys(each).sort());
  const refused = (was.security ?? []).map((each) => Object.keys(each).sort()).filter((each) =>
    schemes.length > 0 && !schemes.some((other) => other.every((name) => each.includes(name)))
  );
  return [...(open ? [] : [`needs other rights: x-access is ${after}, was ${before}`]),
    ...refused.map((each) => `no longer takes the credential ${each.join(' with ') || 'none'}`)];
}

const within = (name: string, findings: readonly Finding[]): Finding[] =>
  findings.map((finding) => `${name}: ${finding}`);
