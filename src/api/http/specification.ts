import type { AnySchemaObject, ValidateFunction } from 'ajv';
import { createAjv } from '../../operations/index.ts';

/** Checks responses against the specification. */
export interface SpecificationReader {
  /** Returns what is wrong with a response; undefined if it matches the specification. */
  violations(operationId: string, status: number, body: unknown): string | undefined;
}

/** A reader holds only compiled validators, so all servers of a process share it: tests start hundreds of servers. */
const readers = new Map<string, SpecificationReader>();

/**
 * Returns the reader of a bundled document. Validators of responses are compiled when one is first needed, so a server
 * that does not check its responses starts without them.
 */
export function createSpecificationReader(documentText: string): SpecificationReader {
  const known = readers.get(documentText) ?? build(JSON.parse(documentText) as Document & AnySchemaObject);
  readers.set(documentText, known);
  return known;
}

interface Response {
  readonly $ref?: string;
  readonly content?: Readonly<Record<string, object>>;
}

/** What is used of an OpenAPI document. */
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly operationId?: string; readonly responses?: Readonly<Record<string, Response>> }>>>>;
  readonly components: { readonly responses: Readonly<Record<string, Response>> };
}

const DOCUMENT = 'openapi.json';
const SHARED_RESPONSE = '#/components/responses/';

function build(document: Document & AnySchemaObject): SpecificationReader {
  const ajv = answerAjv().addSchema(document, DOCUMENT);
  const places = placesOf(document);
  const compiled = new Map<string, ValidateFunction>();
  return {
    violations: (operationId, status, body) => {
      const responses = places.get(operationId);
      if (responses === undefined) throw new Error(`the specification has no operation ${operationId}`);
      const place = responses.get(status);
      if (place === undefined) return undefined;
      // By its place in the document, so that schemas that several responses refer to are compiled once.
      const validate = compiled.get(place) ?? ajv.compile({ $ref: DOCUMENT + place });
      compiled.set(place, validate);
      if (validate(body)) return undefined;
      return validate.errors!.map((error) => `${error.instancePath || '/'} ${error.message ?? ''}`).join('; ');
    },
  };
}

/** Where the schemas of responses in JSON are, by operation and status. */
function placesOf({ paths, components }: Document): Map<string, Map<number, string>> {
  const places = new Map<string, Map<number, string>>();
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, { operationId, responses = {} }] of Object.entries(methods)) {
      if (operationId === undefined) continue;
      const found = new Map<number, string>();
      for (const [status, { $ref, content }] of Object.entries(responses)) {
        const given = $ref === undefined ? content : components.responses[$ref.slice(SHARED_RESPONSE.length)]!.content;
        const place = $ref ?? `#/paths/${partOf(path)}/${method}/responses/${status}`;
        if (given?.['application/json'] !== undefined) found.set(Number(status), `${place}/content/application~1json/schema`);
      }
      places.set(operationId, found);
    }
  }
  return places;
}

/** A name as a part of a JSON pointer in a URL. */
const partOf = (name: string): string => encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'));

/**
 * Inputs are limited to integers that are exact in JavaScript; a response may have larger ones, such as nanoseconds. The schemas were checked when
 * they were generated.
 */
function answerAjv(): ReturnType<typeof createAjv> {
  return createAjv({ useDefaults: false, validateSchema: false }).addFormat('int64', { type: 'number', validate: Number.isInteger });
}
