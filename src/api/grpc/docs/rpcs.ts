import type { OperationId } from '../../../../generated/docs/operations.ts';
import { ServiceError } from '../../../errors/index.ts';
import { type Reply, truncationIn, warningsIn } from '../../../operations/index.ts';

/**
 * The operation that an RPC calls. Without conversions, the message is the operation's input, and its output is the
 * response.
 */
export interface RpcRow extends Conversion {
  readonly operation: OperationId;
}

const plain = (operation: OperationId): RpcRow => ({ operation });

/**
 * The RPCs that are one operation each, by their names in `quire.docs.v1.DocumentDB` and `Replication` (decisions,
 * section 4.12). Streams are in files of their own. This table does not say whether an operation is implemented: an
 * operation without a handler returns Unimplemented by itself.
 */
export const RPCS: Readonly<Record<string, RpcRow>> = {
  Add: plain('addDocument'),
  AddBatch: plain('addDocuments'),
  Get: plain('getDocument'),
  GetDocumentMeta: plain('getDocumentMeta'),
  Search: { operation: 'searchDocuments', output: searchAnswer },
  MetaKeys: plain('listMetaKeys'),
  Checksum: plain('getChecksum'),
  Update: plain('updateDocument'),
  SetTTL: plain('setDocumentTtl'),
  Delete: plain('deleteDocument'),
  DeleteBatch: plain('deleteDocuments'),
  DeleteCollection: plain('deleteCollection'),
  ListRevisions: plain('listRevisions'),
  RestoreRevision: plain('restoreRevision'),
  Truncate: plain('truncateRevisions'),

  Ingest: plain('ingestDocuments'),
  ImportURL: plain('importUrl'),
  SubmitBulkIngest: plain('submitBulkIngest'),
  GetBulkIngest: plain('getBulkIngest'),
  CancelBulkIngest: plain('cancelBulkIngest'),
  ListBulkIngest: plain('listBulkIngest'),
  Backup: plain('createBackup'),
  Restore: plain('restoreBackup'),

  FTS: { operation: 'searchFullText', input: fuzzyOf },
  FTSReindex: plain('reindexFullText'),
  FTSLanguages: plain('listFullTextLanguages'),
  Autocomplete: plain('autocomplete'),
  HybridSearch: { operation: 'searchHybrid', input: fuzzyOf },
  Aggregate: plain('aggregateDocuments'),
  ListSynonyms: plain('listSynonyms'),
  AddSynonym: plain('addSynonyms'),
  DeleteSynonym: plain('deleteSynonym'),
  ListStopwords: plain('listStopWords'),
  AddStopwords: plain('addStopWords'),
  DeleteStopwords: plain('deleteStopWords'),

  VectorSearch: plain('searchVectors'),
  VectorReindex: plain('reindexVectors'),
  VectorStats: plain('getVectorStats'),
  EvaluateVectors: plain('evaluateVectors'),
  VectorProjection: plain('projectVectors'),
  Classify: plain('classifyDocument'),
  CrossSearch: plain('searchAcrossCollections'),
  Similar: plain('findSimilar'),
  FindDuplicates: plain('findDuplicates'),
  CodeGraph: plain('queryCodeGraph'),

  GeoSearch: plain('searchGeo'),
  GeoWithin: plain('searchGeoWithin'),
  GeoPolygon: plain('searchGeoPolygon'),
  GeoReindex: plain('reindexGeo'),
  GeoStats: plain('getGeoStats'),
  GeoEncode: plain('encodeGeohash'),
  GeoDecode: plain('decodeGeohash'),

  GetCollectionConfig: plain('getCollectionConfig'),
  SetCollectionConfig: { operation: 'setCollectionConfig', input: clearFields },
  DeleteCollectionConfig: plain('deleteCollectionConfig'),
  ListCollectionConfigs: plain('listCollectionConfigs'),
  ListEmbeddingConfigs: plain('listEmbeddingConfigs'),
  CreateEmbeddingConfig: { operation: 'createEmbeddingConfig', output: withoutList('configs') },
  GetEmbeddingConfig: plain('getEmbeddingConfig'),
  UpdateEmbeddingConfig: plain('updateEmbeddingConfig'),
  DeleteEmbeddingConfig: plain('deleteEmbeddingConfig'),
  SetDefaultEmbeddingConfig: plain('setDefaultEmbeddingConfig'),
  SetSchema: plain('setSchema'),
  GetSchema: plain('getSchema'),
  DeleteSchema: plain('deleteSchema'),
  ListSchemas: plain('listSchemas'),
  Validate: { operation: 'validateDocument', input: presentMap('meta') },

  RegisterWebhook: plain('createWebhook'),
  ListWebhooks: { operation: 'listWebhooks', output: listUnder('webhooks') },
  UpdateWebhook: plain('updateWebhook'),
  ListWebhookDeadLetters: plain('listWebhookDeadLetters'),
  RedeliverWebhooks: plain('redeliverWebhooks'),
  TestWebhook: plain('testWebhook'),
  DeleteWebhook: plain('deleteWebhook'),
  ListAutomation: plain('listAutomationRules'),
  CreateAutomation: plain('createAutomationRule'),
  GetAutomation: plain('getAutomationRule'),
  UpdateAutomation: plain('updateAutomationRule'),
  DeleteAutomation: plain('deleteAutomationRule'),
  TestAutomation: plain('testAutomationRule'),
  ListAutomationLogs: plain('listAutomationLogs'),
  ListCuration: { operation: 'listCurationRules', output: oneOrAll('rules') },
  CreateCuration: plain('createCurationRule'),
  UpdateCuration: plain('updateCurationRule'),
  DeleteCuration: plain('deleteCurationRule'),

  StartSession: plain('startSession'),
  AddMessage: plain('addMessage'),
  Recall: plain('recallMemory'),
  Summarize: plain('summarizeSession'),
  ListSessions: plain('listSessions'),
  SessionHistory: plain('getSessionHistory'),
  DeleteSession: plain('deleteSession'),
  TemporalQuery: plain('queryTemporal'),
  TemporalHot: plain('listHotDocuments'),
  TemporalHistogram: plain('getTemporalHistogram'),
  SpellSuggest: plain('suggestSpelling'),
  SpellCleanup: plain('cleanSpelling'),
  ListDictionary: plain('listDictionary'),
  AddDictionary: plain('addDictionaryWords'),
  DeleteDictionary: plain('deleteDictionaryWords'),

  Health: plain('getHealth'),
  Stats: plain('getStats'),
  SystemInfo: plain('getSystemInfo'),
  GetConfig: plain('getConfig'),
  ListEndpoints: plain('listEndpoints'),
  ComplianceStatus: plain('getComplianceStatus'),

  Login: plain('login'),
  Register: plain('registerUser'),
  Me: plain('getCurrentUser'),
  RefreshSession: plain('refreshSession'),
  Logout: plain('logout'),
  ChangePassword: plain('changePassword'),
  CreatePasswordReset: plain('createPasswordReset'),
  RedeemPasswordReset: plain('redeemPasswordReset'),
  CreateAPIKey: plain('createApiKey'),
  ListAPIKeys: plain('listApiKeys'),
  DeleteAPIKey: plain('deleteApiKey'),
  RevokeAPIKey: plain('revokeApiKey'),
  ListUsers: plain('listUsers'),
  DeleteUser: plain('deleteUser'),
  UpdateUser: plain('updateUser'),
  ListPermissions: { operation: 'listPermissions', output: listUnder('permissions') },
  SetPermission: plain('setPermission'),
  ListGroups: plain('listGroups'),
  CreateGroup: plain('createGroup'),
  GetGroup: plain('getGroup'),
  UpdateGroup: plain('updateGroup'),
  DeleteGroup: plain('deleteGroup'),
  ListGroupPermissions: plain('listGroupPermissions'),
  SetGroupPermission: plain('setGroupPermission'),
  SetUserRoles: plain('setUserRoles'),
  SetGroupRoles: plain('setGroupRoles'),
  ListRoles: plain('listRoles'),
  SetRole: plain('setRole'),
  DeleteRole: plain('deleteRole'),
  ExplainAccess: plain('explainAccess'),
  CreateMCPKey: plain('createMcpKey'),
  ListMCPKeys: plain('listMcpKeys'),
  DeleteMCPKey: plain('deleteMcpKey'),
  DisableMCPKey: plain('disableMcpKey'),

  ListAudit: plain('listAuditEvents'),
  ListAuditExporters: plain('listAuditExporters'),
  EncryptionStatus: plain('getEncryptionStatus'),
  RotateEncryption: plain('rotateEncryption'),
  GetEncryptionJob: plain('getEncryptionJob'),
  ListEncryptionJobs: plain('listEncryptionJobs'),

  ReplicationStatus: plain('getReplicationStatus'),
};

/** Operations that no RPC calls, each with the reason. */
export const WITHOUT_RPC: Readonly<Partial<Record<OperationId, string>>> = {
  getHealthV1: 'another path of getHealth',
  getSignInMethods: 'is for pages in a browser',
  startOidcSignIn: 'needs a browser',
  finishOidcSignIn: 'needs a browser',
  createBackupByQuery: 'createBackup with its input in the query string',
  getReadiness: 'reported by the standard health service under the name readiness',
  getReadinessV1: 'another path of getReadiness',
  importDocuments: 'AddBatchStream is the stream of gRPC',
  streamEvents: 'Watch is the stream of gRPC',
  getMetrics: 'text for scrapers, which speak HTTP',
  searchFullTextByQuery: 'searchFullText with its input in the query string',
  getCodeGraph: 'queryCodeGraph with its input in the query string',
  listNodes: 'is for operators, who use HTTP or the command line',
  drainNode: 'is for operators, who use HTTP or the command line',
  undrainNode: 'is for operators, who use HTTP or the command line',
};

type Fields = Record<string, unknown>;

/** The differences between an RPC's messages and its operation. */
interface Conversion {
  /** Returns the operation's input for the request in JSON form, which may be changed in place. */
  readonly input?: (request: Fields) => Fields;
  /** Returns the response in JSON form for the operation's output. */
  readonly output?: (reply: Reply<unknown>) => unknown;
}

/** A bare list becomes a field of the response, as do the headers that the HTTP adapter sends with it. */
function listUnder(name: string): Conversion['output'] & object {
  return ({ value, headers }) => ({
    [name]: value,
    totalCount: Number(headers['X-Total-Count']),
    ...truncationIn(headers),
  });
}

/** A single item becomes a list of one, because the operation returns either. */
function oneOrAll(name: string): Conversion['output'] & object {
  return ({ value }) => (name in (value as Fields) ? value : { [name]: [value], total: 1 });
}

/**
 * The response is the resource alone; the HTTP adapter adds the list of all resources, and whether it was truncated.
 */
function withoutList(name: string): Conversion['output'] & object {
  return ({ value }) => {
    const { [name]: _, truncated: _truncated, nextOffset: _nextOffset, ...rest } = value as Fields;
    return rest;
  };
}

/** A map that is required but may be empty: protobuf does not distinguish an empty map from an absent one. */
function presentMap(name: string): Conversion['input'] & object {
  return (request) => ({ ...request, [name]: request[name] ?? {} });
}

/** A number cannot be `auto`, so there is a separate field for it. Errors: 400 if both are set. */
function fuzzyOf({ fuzzyAuto, ...request }: Fields): Fields {
  if (fuzzyAuto !== true) return request;
  if (request['fuzzy'] !== undefined)
    throw new ServiceError('invalid_argument', 'fuzzy and fuzzy_auto cannot both be set');
  return { ...request, fuzzy: 'auto' };
}

/** A list of documents also says whether its token budget truncated it. */
function searchAnswer(reply: Reply<unknown>): Fields {
  return {
    ...listUnder('documents')(reply) as Fields,
    contextTruncated: reply.headers['X-Context-Truncated'] === 'true',
    nextCursor: reply.headers['X-Next-Cursor'],
    ...warningsIn(reply.headers),
  };
}

/**
 * `clear` names the fields that JSON would set to null: a field, or one within the retrieval profile as
 * `retrieval.top_k`. Errors: 400 for any other name.
 */
function clearFields({ clear, ...request }: Fields): Fields {
  for (const path of (clear ?? []) as readonly string[]) {
    const [, field, inner] = CLEARABLE.exec(path.startsWith('vectors.') ? path : camelCase(path)) ?? [];
    if (field === undefined) {
      throw new ServiceError('invalid_argument',
        'clear must name custom_meta, storage_config, wordpress, retrieval, vectors or a field of retrieval or ' +
          'vectors, such as retrieval.top_k');
    }
    if (inner === undefined) request[field] = null;
    else if (request[field] !== null) request[field] = { ...(request[field] as Fields | undefined), [inner]: null };
  }
  return request;
}

/** Names of vector fields are those of the collection, so they stay as they are. */
const CLEARABLE =
  /^(customMeta|storageConfig|wordpress|retrieval|vectors)(?:(?<=retrieval|vectors)\.([a-zA-Z0-9_]+))?$/;

const camelCase = (name: string): string => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
