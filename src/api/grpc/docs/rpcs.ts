import type { OperationId } from '../../../../generated/docs/operations.ts';
import { clearFields, listUnder, oneOrAll, presentMap, searchAnswer, withoutField, type Conversion } from './conversions.ts';

/** What an RPC calls. Without conversions the message is the operation's input, and its output the message. */
export interface RpcRow extends Conversion {
  readonly operation: OperationId;
}

const plain = (operation: OperationId): RpcRow => ({ operation });

/**
 * The RPCs that are one operation each, by their names in `quire.docs.v1.DocumentDB` and `Replication`
 * (decisions, section 4.12). Streams have files of their own. Whether an operation is built is not said
 * here: one without a handler answers Unimplemented by itself.
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

  FTS: plain('searchFullText'),
  FTSReindex: plain('reindexFullText'),
  FTSLanguages: plain('listFullTextLanguages'),
  Autocomplete: plain('autocomplete'),
  HybridSearch: plain('searchHybrid'),
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
  VectorProjection: plain('projectVectors'),
  Classify: plain('classifyDocument'),
  CrossSearch: plain('searchAcrossCollections'),
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
  CreateEmbeddingConfig: { operation: 'createEmbeddingConfig', output: withoutField('configs') },
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
  CreateAPIKey: plain('createApiKey'),
  ListAPIKeys: plain('listApiKeys'),
  DeleteAPIKey: plain('deleteApiKey'),
  ListUsers: plain('listUsers'),
  DeleteUser: plain('deleteUser'),
  ListPermissions: { operation: 'listPermissions', output: listUnder('permissions') },
  SetPermission: plain('setPermission'),
  ListGroups: plain('listGroups'),
  CreateGroup: plain('createGroup'),
  GetGroup: plain('getGroup'),
  UpdateGroup: plain('updateGroup'),
  DeleteGroup: plain('deleteGroup'),
  ListGroupPermissions: plain('listGroupPermissions'),
  SetGroupPermission: plain('setGroupPermission'),
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
  getMetrics: 'text for scrapers, which speak HTTP',
  searchFullTextByQuery: 'searchFullText with its input in the query string',
  getCodeGraph: 'queryCodeGraph with its input in the query string',
};
