import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type OperationId, operations } from '../../../../generated/docs/operations.ts';
import { IMAGE, methodOf } from '../../../testkit/grpc-client.ts';
import { type FieldPlan, type Kind, type MessagePlan, readSchema } from '../message/plan.ts';
import { RPCS, WITHOUT_RPC } from './rpcs.ts';
import { definitionOf, describeRpcs, DOCS_SERVICES, STREAMS, UNSERVED } from './services.ts';

/** The part of a JSON schema that is compared here. */
interface Json {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Json>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Json | boolean;
  readonly items?: Json;
  readonly prefixItems?: readonly Json[];
  readonly allOf?: readonly Json[];
  readonly oneOf?: readonly Json[];
  readonly anyOf?: readonly Json[];
  readonly minLength?: number;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
}

const read = (file: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../../../generated/docs/${file}`, import.meta.url), 'utf8'));
const inputs = read('inputs.json') as Record<OperationId, Json>;
const openapi = read('openapi.json') as {
  paths: Record<string,
    Record<string,
      { operationId?: string;
        responses: Record<string, { $ref?: string; content?: Record<string, { schema: Json }> }> }>>;
};
const schema = readSchema(IMAGE);

/** The RPCs of decisions, section 4.12. */
const DECIDED = `
Add AddBatch AddBatchStream Get GetDocumentMeta Search MetaKeys Checksum Update SetTTL Delete DeleteBatch DeleteCollection
Ingest Upload ImportURL ImportWiki SubmitBulkIngest GetBulkIngest CancelBulkIngest ListBulkIngest ListRevisions RestoreRevision Truncate
Watch Export Backup Restore FTS FTSReindex FTSLanguages Autocomplete HybridSearch Aggregate
ListSynonyms AddSynonym DeleteSynonym ListStopwords AddStopwords DeleteStopwords
VectorSearch VectorReindex VectorStats EvaluateVectors VectorProjection Classify CrossSearch Similar FindDuplicates CodeGraph
GeoSearch GeoWithin GeoPolygon GeoReindex GeoStats GeoEncode GeoDecode
GetCollectionConfig SetCollectionConfig DeleteCollectionConfig ListCollectionConfigs
ListEmbeddingConfigs CreateEmbeddingConfig GetEmbeddingConfig UpdateEmbeddingConfig DeleteEmbeddingConfig SetDefaultEmbeddingConfig
SetSchema GetSchema DeleteSchema ListSchemas Validate RegisterWebhook ListWebhooks UpdateWebhook ListWebhookDeadLetters RedeliverWebhooks TestWebhook DeleteWebhook
ListAutomation CreateAutomation GetAutomation UpdateAutomation DeleteAutomation TestAutomation ListAutomationLogs
ListCuration CreateCuration UpdateCuration DeleteCuration StartSession AddMessage Recall Summarize ListSessions SessionHistory DeleteSession
TemporalQuery TemporalHot TemporalHistogram SpellSuggest SpellCleanup ListDictionary AddDictionary DeleteDictionary
Health Stats SystemInfo GetConfig ListEndpoints ComplianceStatus
Login Register Me RefreshSession Logout ChangePassword CreatePasswordReset RedeemPasswordReset CreateAPIKey ListAPIKeys DeleteAPIKey RevokeAPIKey ListUsers DeleteUser UpdateUser
ListPermissions SetPermission ListGroups CreateGroup GetGroup UpdateGroup DeleteGroup ListGroupPermissions SetGroupPermission
SetUserRoles SetGroupRoles ListRoles SetRole DeleteRole ExplainAccess
CreateMCPKey ListMCPKeys DeleteMCPKey DisableMCPKey ListAudit ListAuditExporters EncryptionStatus RotateEncryption GetEncryptionJob ListEncryptionJobs
RequestSnapshot StreamBinlog ReplicationStatus AcknowledgeLSN Ask Gather
`.trim().split(/\s+/);

/** `<message>.<field>` that exists on only one side, each with the reason. */
const ONLY_IN_JSON: Readonly<Record<string, string>> = {
  'GetRequest.ifNoneMatch': 'a header of HTTP, whose answer would have no body',
  'GetDocumentMetaRequest.ifNoneMatch': 'a header of HTTP, whose answer would have no body',
  'AddRequest.ifMatch': 'a header of HTTP; if_checksum says it',
  'AddRequest.ifNoneMatch': 'a header of HTTP',
  'RestoreRevisionRequest.ifMatch': 'a header of HTTP; if_checksum says it',
  'UpdateRequest.ifMatch': 'a header of HTTP; if_checksum says it',
  'SetTTLRequest.ifMatch': 'a header of HTTP; if_checksum says it',
  'DeleteRequest.ifMatch': 'a header of HTTP; if_checksum says it',
  'ListGroupPermissionsRequest.groupName': 'another name for group',
  'SetGroupPermissionRequest.groupName': 'another name for group',
  'EmbeddingConfig.configs': 'the HTTP interface adds the list of all to what was created',
  'EmbeddingConfig.truncated': 'says that this list was cut',
  'EmbeddingConfig.nextOffset': 'says where this list was cut',
  'UploadOptions.file': 'files are pieces of the stream',
  'UploadOptions.files[]': 'files are pieces of the stream',
  'ImportWikiOptions.file': 'files are pieces of the stream',
};
const ONLY_IN_PROTO: Readonly<Record<string, string>> = {
  'SetCollectionConfigRequest.clear': 'stands for null',
  'Document.vectors': 'only reads show them; a write returns the same message',
  'FTSRequest.fuzzyAuto': 'stands for fuzzy: auto',
  'HybridSearchRequest.fuzzyAuto': 'stands for fuzzy: auto',
  'SearchResponse.totalCount': 'the header X-Total-Count',
  'SearchResponse.contextTruncated': 'the header X-Context-Truncated',
  'SearchResponse.truncated': 'the header X-Truncated',
  'SearchResponse.nextOffset': 'the header X-Next-Offset',
  'SearchResponse.nextCursor': 'the header X-Next-Cursor',
  'SearchResponse.warnings': 'the header X-Warnings',
  'ListWebhooksResponse.totalCount': 'the header X-Total-Count',
  'ListWebhooksResponse.truncated': 'the header X-Truncated',
  'ListWebhooksResponse.nextOffset': 'the header X-Next-Offset',
  'ListPermissionsResponse.totalCount': 'the header X-Total-Count',
  'ListPermissionsResponse.truncated': 'the header X-Truncated',
  'ListPermissionsResponse.nextOffset': 'the header X-Next-Offset',
};

/** Texts that are empty for callers without read permission; the HTTP interface omits the field. */
const EMPTY_WITHOUT_READ = new Set(['Document.contentMd', 'MemorySession.title', 'MemoryMessage.content',
  'SummarizeResponse.summary', 'MemorySummary.summary']);

/** Absent only if the request asks for that, and was released without presence. */
const ZERO_ON_REQUEST = new Set(['FTSResponse.totalMatches']);

/** How a response that is a bare list, or one of two kinds, is converted. */
const WRAPPED: Readonly<Record<string, (answer: Json) => Json>> = {
  searchDocuments: (answer) => object({ documents: answer }),
  listWebhooks: (answer) => object({ webhooks: answer }),
  listPermissions: (answer) => object({ permissions: answer }),
  listCurationRules: (answer) =>
    resolve(answer).oneOf!.map(resolve).find(({ properties }) => properties?.['rules'] !== undefined)!,
};

function object(properties: Record<string, Json>): Json {
  return { type: 'object', properties, required: Object.keys(properties) };
}

function resolve(json: Json): Json {
  if (json.$ref === undefined) return json;
  let target: unknown = openapi;
  // The inputs contain copies of the components that they need.
  for (const part of json.$ref.replace('#/$defs/', '#/components/schemas/').slice(2).split('/'))
    target = (target as Record<string, unknown>)[part];
  return resolve(target as Json);
}

const isNull = (json: Json): boolean => resolve(json).type === 'null';

/** One schema for a choice of schemas: all their fields, required if all of them require the field. */
function flat(json: Json): Json {
  const { allOf, oneOf, anyOf, ...own } = resolve(json);
  const parts = (allOf ?? oneOf ?? anyOf)?.filter((part) => !isNull(part)).map(flat);
  if (parts === undefined) return own;
  if (parts.length === 1) return parts[0]!;
  const list = parts.find(({ type }) => type === 'array');
  if (list !== undefined) return list;
  // A value of several types counts as a choice of schemas with one type each.
  if (oneOf !== undefined && parts.some(({ type }) => type !== 'object'))
    return { ...own, type: parts.flatMap(typesOf) };
  const properties = Object.assign({}, ...[...parts].reverse().map((part) => part.properties),
    own.properties) as Record<string, Json>;
  const requires = (name: string) =>
    parts[allOf ? 'some' : 'every'](({ required }) => required?.includes(name)) ||
    own.required?.includes(name) === true;
  return { type: 'object', properties, required: Object.keys(properties).filter(requires) };
}

/** An object that may also be a text in JSON: the message has a field for the text. */
function withoutText(json: Json): Json {
  const parts = resolve(json).oneOf ?? [];
  const objects = parts.filter((part) => resolve(part).type !== 'string');
  return objects.length === 1 && objects.length < parts.length ? objects[0]! : json;
}

const typesOf = ({ type }: Json): string[] => [type ?? []].flat().filter((each) => each !== 'null');

type Direction = 'in' | 'out';

/** Compares a message with a schema, and returns all differences. */
function compare(json: Json, plan: MessagePlan, direction: Direction, problems: string[],
  seen = new Set<string>()): void
{
  if (seen.has(plan.name)) return;
  seen.add(plan.name);
  const given = flat(plan.form === 'object' ? withoutText(json) : json);
  const name = plan.name.replace('quire.docs.v1.', '');
  if (plan.form === 'union') {
    const kinds = plan.fields.map(({ kind }) => TYPES[kind]).sort();
    if (kinds.join() !== typesOf(given).sort().join())
      problems.push(`${name} is one of ${kinds.join()}, not ${typesOf(given).join()}`);
    return;
  }
  if (plan.form !== 'object')
    return compareField(given, plan.fields[0]!, { direction, place: name, required: true }, problems, seen);
  const properties = given.properties ?? {};
  const known = new Map(plan.fields.map((field) => [field.name, field]));
  for (const [property, value] of Object.entries(properties)) {
    const place = `${name}.${property}`;
    const field = known.get(property);
    if (field !== undefined)
      compareField(value, field, { direction, place, required: given.required?.includes(property) === true }, problems,
        seen);
    else if (ONLY_IN_JSON[place] === undefined) problems.push(`${place} is missing`);
  }
  for (const field of known.keys()) {
    if (properties[field] === undefined && ONLY_IN_PROTO[`${name}.${field}`] === undefined)
      problems.push(`${name}.${field} is too many`);
  }
}

const TYPES: Readonly<Record<Kind, string>> = {
  string: 'string',
  bytes: 'string',
  bool: 'boolean',
  int32: 'integer',
  uint32: 'integer',
  int64: 'integer',
  uint64: 'integer',
  double: 'number',
  float: 'number',
  message: 'object',
  struct: 'object',
  value: '',
};

interface Place {
  readonly direction: Direction;
  readonly place: string;
  readonly required: boolean;
}

function compareField(json: Json, field: FieldPlan, at: Place, problems: string[], seen: Set<string>): void {
  const given = flat(json);
  if (field.shape === 'list') {
    if (typesOf(given)[0] !== 'array') problems.push(`${at.place} is no list`);
    return compareOne(given.items ?? given.prefixItems?.[0] ?? {}, field, at, problems, seen);
  }
  if (field.shape === 'map') {
    if (typeof given.additionalProperties !== 'object') problems.push(`${at.place} is no map`);
    return compareOne(given.additionalProperties as Json, field, at, problems, seen);
  }
  const needed = needsPresence(json, given, at);
  // A message that requests also contain may have more fields than responses need.
  const wrong = at.direction === 'in' ? field.presence !== needed : needed && !field.presence;
  if (wrong && !(at.direction === 'out' && (EMPTY_WITHOUT_READ.has(at.place) || ZERO_ON_REQUEST.has(at.place))) &&
    !['message', 'struct', 'value'].includes(field.kind))
    problems.push(`${at.place} must ${field.presence ? 'not ' : ''}be optional`);
  compareOne(json, field, at, problems, seen);
}

/**
 * Where absence differs from zero. In requests this is everywhere, except in required texts that must not be empty, for
 * which both mean that the value is missing; in responses, it is where the field may be omitted.
 */
function needsPresence(json: Json, given: Json, { direction, required }: Place): boolean {
  if (direction === 'out') return !required || [resolve(json).type].flat().includes('null');
  return !(required && typesOf(given)[0] === 'string' && refusesEmpty(given));
}

function refusesEmpty({ minLength = 0, enum: values, pattern }: Json): boolean {
  return minLength > 0 || values !== undefined || (pattern !== undefined && !new RegExp(pattern, 'u').test(''));
}

function compareOne(json: Json, field: FieldPlan, at: Place, problems: string[], seen: Set<string>): void {
  if (field.kind === 'message') return compare(json, field.message!, at.direction, problems, seen);
  const type = typesOf(flat(json))[0];
  if (type !== TYPES[field.kind]) problems.push(`${at.place} is ${type}, not ${TYPES[field.kind]}`);
}

function answerOf(operation: string): Json {
  for (const methods of Object.values(openapi.paths)) {
    for (const { operationId, responses } of Object.values(methods)) {
      if (operationId !== operation) continue;
      const success = responses[Object.keys(responses).find((status) => status.startsWith('2'))!]!;
      return (resolve(success as Json) as typeof success).content?.['application/json']?.schema ?? object({});
    }
  }
  throw new Error(`the specification has no ${operation}`);
}

const methods = DOCS_SERVICES.flatMap((name) => schema.registry.getService(name)!.methods);

describe('the proto files', () => {
  it('have exactly the RPCs that were decided', () => {
    expect(methods.map(({ name }) => name).sort()).toEqual([...DECIDED].sort());
  });

  it.each(Object.entries(RPCS))('give %s the fields of its operation, with presence where absence means something',
    (rpc, { operation }) => {
      const { input, output } = methodOf(rpc);
      const problems: string[] = [];
      compare(inputs[operation], schema.plan(input), 'in', problems);
      compare((WRAPPED[operation] ?? ((answer: Json) => answer))(answerOf(operation)), schema.plan(output), 'out',
        problems);
      expect(problems).toEqual([]);
    });

  it('give the streams the fields of their operations', () => {
    const plan = (name: string): MessagePlan => schema.plan(schema.registry.getMessage(`quire.docs.v1.${name}`)!);
    const problems: string[] = [];
    compare(inputs.exportDocuments, plan('ExportRequest'), 'in', problems);
    compare(inputs.uploadFiles, plan('UploadOptions'), 'in', problems);
    compare(inputs.importWiki, plan('ImportWikiOptions'), 'in', problems);
    compare(answerOf('uploadFiles'), plan('UploadResponse'), 'out', problems);
    compare(answerOf('importWiki'), plan('ImportWikiResponse'), 'out', problems);
    expect(problems).toEqual([]);
  });

  it('name events as was decided, and nodes say a little more to each other', () => {
    const fields = (name: string) =>
      schema.registry.getMessage(`quire.docs.v1.${name}`)!.fields.map((field) => field.name).join(' ');
    expect(fields('DocumentEvent')).toBe('event collection key lang doc_id timestamp document detail seq');
    expect(fields('WatchRequest')).toBe('collection events include_document from_seq');
    expect(fields('BinlogEntry')).toBe(
      'lsn type timestamp bucket key value checksum txn_end position epoch leader_position sent_at',
    );
    expect(fields('SnapshotChunk')).toBe('data offset total_size is_last snapshot_lsn checksum');
  });
});

describe('every operation', () => {
  it('has an RPC, or a reason for having none', () => {
    const served = new Set(
      [...Object.values(RPCS), ...Object.values(STREAMS)].map(({ operation }) => operation as string | undefined),
    );
    expect(Object.keys(operations).filter((id) => !served.has(id)).sort()).toEqual(Object.keys(WITHOUT_RPC).sort());
  });

  it('and every RPC has a handler, or a reason for having none', () => {
    const handled = [...Object.keys(RPCS), ...Object.keys(STREAMS), ...Object.keys(UNSERVED)];
    expect(handled.sort()).toEqual(methods.map(({ name }) => name).sort());
    expect(
      Object.values(DOCS_SERVICES.map((name) => definitionOf(schema.registry.getService(name)!))).flatMap((each) =>
        Object.keys(each)
      ),
    ).toHaveLength(methods.length);
  });

  it('and every RPC says what it does', () => {
    const told = describeRpcs({ schema, operations });
    expect(told.filter(({ description }) => description === '')).toEqual([]);
    expect(told[0]).toEqual({ name: 'quire.docs.v1.DocumentDB/Add', description: operations.addDocument.summary });
  });
});
