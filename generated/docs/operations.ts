// Generated from the specifications by `npm run generate`. Do not edit.

import type { Download, FlatInput, Operation, OperationSpec } from '../../src/operations/index.ts';
import type {
  GetHealthData,
  GetHealthResponses,
  GetHealthV1Data,
  GetHealthV1Responses,
  GetReadinessData,
  GetReadinessResponses,
  GetReadinessV1Data,
  GetReadinessV1Responses,
  GetStatsData,
  GetStatsResponses,
  GetSystemInfoData,
  GetSystemInfoResponses,
  GetConfigData,
  GetConfigResponses,
  ListEndpointsData,
  ListEndpointsResponses,
  GetComplianceStatusData,
  GetComplianceStatusResponses,
  GetMetricsData,
  AddDocumentData,
  AddDocumentResponses,
  AddDocumentsData,
  AddDocumentsResponses,
  GetDocumentData,
  GetDocumentResponses,
  SearchDocumentsData,
  SearchDocumentsResponses,
  UpdateDocumentData,
  UpdateDocumentResponses,
  GetDocumentMetaData,
  GetDocumentMetaResponses,
  SetDocumentTtlData,
  SetDocumentTtlResponses,
  DeleteDocumentData,
  DeleteDocumentResponses,
  DeleteDocumentsData,
  DeleteDocumentsResponses,
  DeleteCollectionData,
  DeleteCollectionResponses,
  ListMetaKeysData,
  ListMetaKeysResponses,
  GetChecksumData,
  GetChecksumResponses,
  ListRevisionsData,
  ListRevisionsResponses,
  RestoreRevisionData,
  RestoreRevisionResponses,
  TruncateRevisionsData,
  TruncateRevisionsResponses,
  IngestDocumentsData,
  IngestDocumentsResponses,
  ImportDocumentsData,
  SubmitBulkIngestData,
  SubmitBulkIngestResponses,
  GetBulkIngestData,
  GetBulkIngestResponses,
  CancelBulkIngestData,
  CancelBulkIngestResponses,
  ListBulkIngestData,
  ListBulkIngestResponses,
  UploadFilesData,
  UploadFilesResponses,
  ImportUrlData,
  ImportUrlResponses,
  ImportWikiData,
  ImportWikiResponses,
  ExportDocumentsData,
  CreateBackupByQueryData,
  CreateBackupByQueryResponses,
  CreateBackupData,
  CreateBackupResponses,
  RestoreBackupData,
  RestoreBackupResponses,
  GetCollectionConfigData,
  GetCollectionConfigResponses,
  SetCollectionConfigData,
  SetCollectionConfigResponses,
  DeleteCollectionConfigData,
  DeleteCollectionConfigResponses,
  ListCollectionConfigsData,
  ListCollectionConfigsResponses,
  SetSchemaData,
  SetSchemaResponses,
  GetSchemaData,
  GetSchemaResponses,
  DeleteSchemaData,
  DeleteSchemaResponses,
  ListSchemasData,
  ListSchemasResponses,
  ValidateDocumentData,
  ValidateDocumentResponses,
  SearchFullTextByQueryData,
  SearchFullTextByQueryResponses,
  SearchFullTextData,
  SearchFullTextResponses,
  ReindexFullTextData,
  ReindexFullTextResponses,
  ListFullTextLanguagesData,
  ListFullTextLanguagesResponses,
  AutocompleteData,
  AutocompleteResponses,
  ListSynonymsData,
  ListSynonymsResponses,
  AddSynonymsData,
  AddSynonymsResponses,
  DeleteSynonymData,
  DeleteSynonymResponses,
  ListStopWordsData,
  ListStopWordsResponses,
  AddStopWordsData,
  AddStopWordsResponses,
  DeleteStopWordsData,
  DeleteStopWordsResponses,
  AggregateDocumentsData,
  AggregateDocumentsResponses,
  ListCurationRulesData,
  ListCurationRulesResponses,
  UpdateCurationRuleData,
  UpdateCurationRuleResponses,
  CreateCurationRuleData,
  CreateCurationRuleResponses,
  DeleteCurationRuleData,
  DeleteCurationRuleResponses,
  SearchVectorsData,
  SearchVectorsResponses,
  ReindexVectorsData,
  ReindexVectorsResponses,
  GetVectorStatsData,
  GetVectorStatsResponses,
  EvaluateVectorsData,
  EvaluateVectorsResponses,
  ProjectVectorsData,
  ProjectVectorsResponses,
  ClassifyDocumentData,
  ClassifyDocumentResponses,
  SearchAcrossCollectionsData,
  SearchAcrossCollectionsResponses,
  FindSimilarData,
  FindSimilarResponses,
  FindDuplicatesData,
  FindDuplicatesResponses,
  ListEmbeddingConfigsData,
  ListEmbeddingConfigsResponses,
  CreateEmbeddingConfigData,
  CreateEmbeddingConfigResponses,
  GetEmbeddingConfigData,
  GetEmbeddingConfigResponses,
  UpdateEmbeddingConfigData,
  UpdateEmbeddingConfigResponses,
  DeleteEmbeddingConfigData,
  SetDefaultEmbeddingConfigData,
  SetDefaultEmbeddingConfigResponses,
  SearchHybridData,
  SearchHybridResponses,
  SearchGeoData,
  SearchGeoResponses,
  SearchGeoWithinData,
  SearchGeoWithinResponses,
  SearchGeoPolygonData,
  SearchGeoPolygonResponses,
  ReindexGeoData,
  ReindexGeoResponses,
  GetGeoStatsData,
  GetGeoStatsResponses,
  EncodeGeohashData,
  EncodeGeohashResponses,
  DecodeGeohashData,
  DecodeGeohashResponses,
  GetCodeGraphData,
  GetCodeGraphResponses,
  QueryCodeGraphData,
  QueryCodeGraphResponses,
  StartSessionData,
  StartSessionResponses,
  AddMessageData,
  AddMessageResponses,
  RecallMemoryData,
  RecallMemoryResponses,
  SummarizeSessionData,
  SummarizeSessionResponses,
  ListSessionsData,
  ListSessionsResponses,
  GetSessionHistoryData,
  GetSessionHistoryResponses,
  DeleteSessionData,
  DeleteSessionResponses,
  ListWebhooksData,
  ListWebhooksResponses,
  CreateWebhookData,
  CreateWebhookResponses,
  DeleteWebhookData,
  DeleteWebhookResponses,
  UpdateWebhookData,
  UpdateWebhookResponses,
  ListWebhookDeadLettersData,
  ListWebhookDeadLettersResponses,
  RedeliverWebhooksData,
  RedeliverWebhooksResponses,
  TestWebhookData,
  TestWebhookResponses,
  StreamEventsData,
  ListAutomationRulesData,
  ListAutomationRulesResponses,
  CreateAutomationRuleData,
  CreateAutomationRuleResponses,
  GetAutomationRuleData,
  GetAutomationRuleResponses,
  UpdateAutomationRuleData,
  UpdateAutomationRuleResponses,
  DeleteAutomationRuleData,
  DeleteAutomationRuleResponses,
  TestAutomationRuleData,
  TestAutomationRuleResponses,
  ListAutomationLogsData,
  ListAutomationLogsResponses,
  QueryTemporalData,
  QueryTemporalResponses,
  ListHotDocumentsData,
  ListHotDocumentsResponses,
  GetTemporalHistogramData,
  GetTemporalHistogramResponses,
  SuggestSpellingData,
  SuggestSpellingResponses,
  CleanSpellingData,
  CleanSpellingResponses,
  ListDictionaryData,
  ListDictionaryResponses,
  AddDictionaryWordsData,
  AddDictionaryWordsResponses,
  DeleteDictionaryWordsData,
  DeleteDictionaryWordsResponses,
  LoginData,
  LoginResponses,
  RefreshSessionData,
  RefreshSessionResponses,
  LogoutData,
  LogoutResponses,
  GetSignInMethodsData,
  GetSignInMethodsResponses,
  StartOidcSignInData,
  StartOidcSignInResponses,
  FinishOidcSignInData,
  FinishOidcSignInResponses,
  RegisterUserData,
  RegisterUserResponses,
  GetCurrentUserData,
  GetCurrentUserResponses,
  ChangePasswordData,
  ChangePasswordResponses,
  RedeemPasswordResetData,
  RedeemPasswordResetResponses,
  CreateApiKeyData,
  CreateApiKeyResponses,
  ListApiKeysData,
  ListApiKeysResponses,
  DeleteApiKeyData,
  DeleteApiKeyResponses,
  RevokeApiKeyData,
  RevokeApiKeyResponses,
  ListUsersData,
  ListUsersResponses,
  DeleteUserData,
  DeleteUserResponses,
  UpdateUserData,
  UpdateUserResponses,
  CreatePasswordResetData,
  CreatePasswordResetResponses,
  SetUserRolesData,
  SetUserRolesResponses,
  ExplainAccessData,
  ExplainAccessResponses,
  ListPermissionsData,
  ListPermissionsResponses,
  SetPermissionData,
  SetPermissionResponses,
  ListGroupsData,
  ListGroupsResponses,
  CreateGroupData,
  CreateGroupResponses,
  GetGroupData,
  GetGroupResponses,
  UpdateGroupData,
  UpdateGroupResponses,
  DeleteGroupData,
  DeleteGroupResponses,
  SetGroupRolesData,
  SetGroupRolesResponses,
  ListRolesData,
  ListRolesResponses,
  SetRoleData,
  SetRoleResponses,
  DeleteRoleData,
  DeleteRoleResponses,
  ListGroupPermissionsData,
  ListGroupPermissionsResponses,
  SetGroupPermissionData,
  SetGroupPermissionResponses,
  ListMcpKeysData,
  ListMcpKeysResponses,
  CreateMcpKeyData,
  CreateMcpKeyResponses,
  DeleteMcpKeyData,
  DeleteMcpKeyResponses,
  DisableMcpKeyData,
  DisableMcpKeyResponses,
  ListAuditEventsData,
  ListAuditEventsResponses,
  ListAuditExportersData,
  ListAuditExportersResponses,
  GetEncryptionStatusData,
  GetEncryptionStatusResponses,
  RotateEncryptionData,
  RotateEncryptionResponses,
  ListEncryptionJobsData,
  ListEncryptionJobsResponses,
  GetEncryptionJobData,
  GetEncryptionJobResponses,
  GetReplicationStatusData,
  GetReplicationStatusResponses,
  ListNodesData,
  ListNodesResponses,
  DrainNodeData,
  DrainNodeResponses,
  UndrainNodeData,
  UndrainNodeResponses,
} from './sdk/types.gen.ts';

/** Input and output of each operation of the document service. */
export interface Operations {
  getHealth: Operation<Record<never, never>, GetHealthResponses[200]>;
  getHealthV1: Operation<Record<never, never>, GetHealthV1Responses[200]>;
  getReadiness: Operation<Record<never, never>, GetReadinessResponses[200]>;
  getReadinessV1: Operation<Record<never, never>, GetReadinessV1Responses[200]>;
  getStats: Operation<Record<never, never>, GetStatsResponses[200]>;
  getSystemInfo: Operation<Record<never, never>, GetSystemInfoResponses[200]>;
  getConfig: Operation<Record<never, never>, GetConfigResponses[200]>;
  listEndpoints: Operation<Record<never, never>, ListEndpointsResponses[200]>;
  getComplianceStatus: Operation<Record<never, never>, GetComplianceStatusResponses[200]>;
  getMetrics: Operation<Record<never, never>, Download>;
  addDocument: Operation<FlatInput<NonNullable<AddDocumentData['body']> & { ifMatch?: string } & { ifNoneMatch?: string }, 'saveRevision'>, AddDocumentResponses[200]>;
  addDocuments: Operation<FlatInput<NonNullable<AddDocumentsData['body']>, 'saveRevision'>, AddDocumentsResponses[200]>;
  getDocument: Operation<FlatInput<NonNullable<GetDocumentData['body']> & { ifNoneMatch?: string }>, GetDocumentResponses[200]>;
  searchDocuments: Operation<FlatInput<NonNullable<SearchDocumentsData['body']>, 'offset' | 'deleted'>, SearchDocumentsResponses[200]>;
  updateDocument: Operation<FlatInput<NonNullable<UpdateDocumentData['body']> & { ifMatch?: string }>, UpdateDocumentResponses[200]>;
  getDocumentMeta: Operation<FlatInput<NonNullable<GetDocumentMetaData['query']> & { ifNoneMatch?: string }, 'lang'>, GetDocumentMetaResponses[200]>;
  setDocumentTtl: Operation<FlatInput<NonNullable<SetDocumentTtlData['body']> & { ifMatch?: string }>, SetDocumentTtlResponses[200]>;
  deleteDocument: Operation<FlatInput<NonNullable<DeleteDocumentData['body']> & { ifMatch?: string }, 'purge'>, DeleteDocumentResponses[200]>;
  deleteDocuments: Operation<FlatInput<NonNullable<DeleteDocumentsData['body']>, 'purge'>, DeleteDocumentsResponses[200]>;
  deleteCollection: Operation<FlatInput<NonNullable<DeleteCollectionData['body']>>, DeleteCollectionResponses[200]>;
  listMetaKeys: Operation<FlatInput<NonNullable<ListMetaKeysData['query']>, 'limit' | 'offset'>, ListMetaKeysResponses[200]>;
  getChecksum: Operation<FlatInput<NonNullable<GetChecksumData['query']>>, GetChecksumResponses[200]>;
  listRevisions: Operation<FlatInput<NonNullable<ListRevisionsData['body']>, 'limit' | 'offset' | 'includeContent'>, ListRevisionsResponses[200]>;
  restoreRevision: Operation<FlatInput<NonNullable<RestoreRevisionData['body']> & { ifMatch?: string }>, RestoreRevisionResponses[200]>;
  truncateRevisions: Operation<FlatInput<NonNullable<TruncateRevisionsData['body']>, 'dropCache'>, TruncateRevisionsResponses[200]>;
  ingestDocuments: Operation<FlatInput<NonNullable<IngestDocumentsData['body']>>, IngestDocumentsResponses[200]>;
  importDocuments: Operation<FlatInput<NonNullable<ImportDocumentsData['query']>, 'profile'>, Download>;
  submitBulkIngest: Operation<FlatInput<NonNullable<SubmitBulkIngestData['body']>, 'saveRevision'>, SubmitBulkIngestResponses[202]>;
  getBulkIngest: Operation<FlatInput<NonNullable<GetBulkIngestData['path']>>, GetBulkIngestResponses[200]>;
  cancelBulkIngest: Operation<FlatInput<NonNullable<CancelBulkIngestData['path']>>, CancelBulkIngestResponses[200]>;
  listBulkIngest: Operation<FlatInput<NonNullable<ListBulkIngestData['query']>>, ListBulkIngestResponses[200]>;
  uploadFiles: Operation<FlatInput<NonNullable<UploadFilesData['body']>, 'maxSize' | 'profile'>, UploadFilesResponses[200]>;
  importUrl: Operation<FlatInput<NonNullable<ImportUrlData['body']>>, ImportUrlResponses[200]>;
  importWiki: Operation<FlatInput<NonNullable<ImportWikiData['body']> & NonNullable<ImportWikiData['query']>, 'namespaces' | 'skipRedirects' | 'skipFts' | 'batchSize' | 'profile'>, ImportWikiResponses[200]>;
  exportDocuments: Operation<FlatInput<NonNullable<ExportDocumentsData['body']>>, Download>;
  createBackupByQuery: Operation<FlatInput<NonNullable<CreateBackupByQueryData['query']>>, CreateBackupByQueryResponses[200]>;
  createBackup: Operation<FlatInput<NonNullable<CreateBackupData['body']>>, CreateBackupResponses[200]>;
  restoreBackup: Operation<FlatInput<NonNullable<RestoreBackupData['body']>>, RestoreBackupResponses[200]>;
  getCollectionConfig: Operation<FlatInput<NonNullable<GetCollectionConfigData['query']>>, GetCollectionConfigResponses[200]>;
  setCollectionConfig: Operation<FlatInput<NonNullable<SetCollectionConfigData['body']>>, SetCollectionConfigResponses[200]>;
  deleteCollectionConfig: Operation<FlatInput<NonNullable<DeleteCollectionConfigData['query']>>, DeleteCollectionConfigResponses[200]>;
  listCollectionConfigs: Operation<FlatInput<NonNullable<ListCollectionConfigsData['query']>, 'offset'>, ListCollectionConfigsResponses[200]>;
  setSchema: Operation<FlatInput<NonNullable<SetSchemaData['body']>>, SetSchemaResponses[200]>;
  getSchema: Operation<FlatInput<NonNullable<GetSchemaData['body']>>, GetSchemaResponses[200]>;
  deleteSchema: Operation<FlatInput<NonNullable<DeleteSchemaData['body']>>, DeleteSchemaResponses[200]>;
  listSchemas: Operation<FlatInput<NonNullable<ListSchemasData['body']>, 'offset'>, ListSchemasResponses[200]>;
  validateDocument: Operation<FlatInput<NonNullable<ValidateDocumentData['body']>>, ValidateDocumentResponses[200]>;
  searchFullTextByQuery: Operation<FlatInput<NonNullable<SearchFullTextByQueryData['query']>, 'offset' | 'mode' | 'distance' | 'prefix' | 'matchingStrategy' | 'totals' | 'disableStem' | 'disableSynonyms' | 'mmr' | 'mmrLambda' | 'highlight' | 'highlightTag' | 'highlightEscape' | 'maxHighlights' | 'fragmentSize'>, SearchFullTextByQueryResponses[200]>;
  searchFullText: Operation<FlatInput<NonNullable<SearchFullTextData['body']>, 'offset' | 'mode' | 'distance' | 'prefix' | 'matchingStrategy' | 'totals' | 'disableStem' | 'disableSynonyms' | 'highlight' | 'highlightTag' | 'highlightEscape' | 'maxHighlights' | 'fragmentSize' | 'mmr' | 'mmrLambda' | 'facetMaxValues'>, SearchFullTextResponses[200]>;
  reindexFullText: Operation<FlatInput<NonNullable<ReindexFullTextData['query']>>, ReindexFullTextResponses[200]>;
  listFullTextLanguages: Operation<Record<never, never>, ListFullTextLanguagesResponses[200]>;
  autocomplete: Operation<FlatInput<NonNullable<AutocompleteData['query']>, 'field' | 'topN'>, AutocompleteResponses[200]>;
  listSynonyms: Operation<FlatInput<NonNullable<ListSynonymsData['query']>, 'offset'>, ListSynonymsResponses[200]>;
  addSynonyms: Operation<FlatInput<NonNullable<AddSynonymsData['body']>>, AddSynonymsResponses[200]>;
  deleteSynonym: Operation<FlatInput<NonNullable<DeleteSynonymData['body']>>, DeleteSynonymResponses[200]>;
  listStopWords: Operation<FlatInput<NonNullable<ListStopWordsData['query']>, 'offset'>, ListStopWordsResponses[200]>;
  addStopWords: Operation<FlatInput<NonNullable<AddStopWordsData['body']>>, AddStopWordsResponses[200]>;
  deleteStopWords: Operation<FlatInput<NonNullable<DeleteStopWordsData['body']>>, DeleteStopWordsResponses[200]>;
  aggregateDocuments: Operation<FlatInput<NonNullable<AggregateDocumentsData['body']>, 'maxFacetSize'>, AggregateDocumentsResponses[200]>;
  listCurationRules: Operation<FlatInput<NonNullable<ListCurationRulesData['query']>, 'offset'>, ListCurationRulesResponses[200]>;
  updateCurationRule: Operation<FlatInput<NonNullable<UpdateCurationRuleData['body']>, 'matchMode' | 'pins' | 'hides' | 'enabled' | 'ignoreFilters'>, UpdateCurationRuleResponses[200]>;
  createCurationRule: Operation<FlatInput<NonNullable<CreateCurationRuleData['body']>, 'matchMode' | 'pins' | 'hides' | 'enabled' | 'ignoreFilters'>, CreateCurationRuleResponses[200]>;
  deleteCurationRule: Operation<FlatInput<NonNullable<DeleteCurationRuleData['query']>>, DeleteCurationRuleResponses[200]>;
  searchVectors: Operation<FlatInput<NonNullable<SearchVectorsData['body']>, 'offset' | 'threshold' | 'includeContent' | 'distanceMetric' | 'windowSize' | 'mmr' | 'mmrLambda' | 'facetMaxValues'>, SearchVectorsResponses[200]>;
  reindexVectors: Operation<FlatInput<NonNullable<ReindexVectorsData['body']>, 'force'>, ReindexVectorsResponses[200]>;
  getVectorStats: Operation<Record<never, never>, GetVectorStatsResponses[200]>;
  evaluateVectors: Operation<FlatInput<NonNullable<EvaluateVectorsData['body']>, 'topK'>, EvaluateVectorsResponses[200]>;
  projectVectors: Operation<FlatInput<NonNullable<ProjectVectorsData['body']>, 'sample'>, ProjectVectorsResponses[200]>;
  classifyDocument: Operation<FlatInput<NonNullable<ClassifyDocumentData['body']>, 'lang' | 'multi' | 'threshold'>, ClassifyDocumentResponses[200]>;
  searchAcrossCollections: Operation<FlatInput<NonNullable<SearchAcrossCollectionsData['body']>, 'offset' | 'threshold' | 'distanceMetric' | 'includeContent'>, SearchAcrossCollectionsResponses[200]>;
  findSimilar: Operation<FlatInput<NonNullable<FindSimilarData['body']>, 'offset' | 'threshold' | 'includeContent' | 'distanceMetric' | 'mmr' | 'mmrLambda' | 'facetMaxValues'>, FindSimilarResponses[200]>;
  findDuplicates: Operation<FlatInput<NonNullable<FindDuplicatesData['body']>, 'mode' | 'threshold' | 'maxDocs' | 'distanceMetric' | 'includeContent'>, FindDuplicatesResponses[200]>;
  listEmbeddingConfigs: Operation<FlatInput<NonNullable<ListEmbeddingConfigsData['query']>, 'offset'>, ListEmbeddingConfigsResponses[200]>;
  createEmbeddingConfig: Operation<FlatInput<NonNullable<CreateEmbeddingConfigData['body']>, 'isDefault'>, CreateEmbeddingConfigResponses[200]>;
  getEmbeddingConfig: Operation<FlatInput<NonNullable<GetEmbeddingConfigData['path']>>, GetEmbeddingConfigResponses[200]>;
  updateEmbeddingConfig: Operation<FlatInput<NonNullable<UpdateEmbeddingConfigData['body']> & NonNullable<UpdateEmbeddingConfigData['path']>>, UpdateEmbeddingConfigResponses[200]>;
  deleteEmbeddingConfig: Operation<FlatInput<NonNullable<DeleteEmbeddingConfigData['path']>>, void>;
  setDefaultEmbeddingConfig: Operation<FlatInput<NonNullable<SetDefaultEmbeddingConfigData['body']>>, SetDefaultEmbeddingConfigResponses[200]>;
  searchHybrid: Operation<FlatInput<NonNullable<SearchHybridData['body']>, 'offset' | 'algorithm' | 'rrfK' | 'fuzzy' | 'prefix' | 'matchingStrategy' | 'threshold' | 'distanceMetric' | 'includeContent' | 'disableStem' | 'disableSynonyms' | 'sort' | 'facetMaxValues' | 'highlight' | 'highlightTag' | 'highlightEscape' | 'maxHighlights' | 'fragmentSize' | 'totals' | 'windowSize' | 'mmr' | 'mmrLambda'>, SearchHybridResponses[200]>;
  searchGeo: Operation<FlatInput<NonNullable<SearchGeoData['body']>, 'offset' | 'algorithm' | 'distance' | 'includeContent'>, SearchGeoResponses[200]>;
  searchGeoWithin: Operation<FlatInput<NonNullable<SearchGeoWithinData['body']>, 'offset' | 'includeContent'>, SearchGeoWithinResponses[200]>;
  searchGeoPolygon: Operation<FlatInput<NonNullable<SearchGeoPolygonData['body']>, 'offset' | 'includeContent'>, SearchGeoPolygonResponses[200]>;
  reindexGeo: Operation<FlatInput<NonNullable<ReindexGeoData['body']>>, ReindexGeoResponses[200]>;
  getGeoStats: Operation<Record<never, never>, GetGeoStatsResponses[200]>;
  encodeGeohash: Operation<FlatInput<NonNullable<EncodeGeohashData['body']>, 'precision'>, EncodeGeohashResponses[200]>;
  decodeGeohash: Operation<FlatInput<NonNullable<DecodeGeohashData['body']>>, DecodeGeohashResponses[200]>;
  getCodeGraph: Operation<FlatInput<NonNullable<GetCodeGraphData['query']>, 'direction' | 'depth' | 'maxDegree' | 'lines'>, GetCodeGraphResponses[200]>;
  queryCodeGraph: Operation<FlatInput<NonNullable<QueryCodeGraphData['body']>, 'direction' | 'depth' | 'maxDegree' | 'lines'>, QueryCodeGraphResponses[200]>;
  startSession: Operation<FlatInput<NonNullable<StartSessionData['body']>, 'ttl'>, StartSessionResponses[200]>;
  addMessage: Operation<FlatInput<NonNullable<AddMessageData['body']>>, AddMessageResponses[200]>;
  recallMemory: Operation<FlatInput<NonNullable<RecallMemoryData['body']>, 'offset' | 'strategy' | 'includeContent' | 'mmr' | 'mmrLambda'>, RecallMemoryResponses[200]>;
  summarizeSession: Operation<FlatInput<NonNullable<SummarizeSessionData['body']>>, SummarizeSessionResponses[200]>;
  listSessions: Operation<FlatInput<NonNullable<ListSessionsData['body']>, 'limit' | 'offset' | 'sort' | 'asc'>, ListSessionsResponses[200]>;
  getSessionHistory: Operation<FlatInput<NonNullable<GetSessionHistoryData['body']>, 'limit' | 'offset'>, GetSessionHistoryResponses[200]>;
  deleteSession: Operation<FlatInput<NonNullable<DeleteSessionData['path']>>, DeleteSessionResponses[200]>;
  listWebhooks: Operation<FlatInput<NonNullable<ListWebhooksData['query']>, 'offset'>, ListWebhooksResponses[200]>;
  createWebhook: Operation<FlatInput<NonNullable<CreateWebhookData['body']>, 'collection'>, CreateWebhookResponses[200]>;
  deleteWebhook: Operation<FlatInput<NonNullable<DeleteWebhookData['body']>>, DeleteWebhookResponses[200]>;
  updateWebhook: Operation<FlatInput<NonNullable<UpdateWebhookData['body']>>, UpdateWebhookResponses[200]>;
  listWebhookDeadLetters: Operation<FlatInput<NonNullable<ListWebhookDeadLettersData['query']>, 'offset'>, ListWebhookDeadLettersResponses[200]>;
  redeliverWebhooks: Operation<FlatInput<NonNullable<RedeliverWebhooksData['body']>>, RedeliverWebhooksResponses[200]>;
  testWebhook: Operation<FlatInput<NonNullable<TestWebhookData['body']>>, TestWebhookResponses[200]>;
  streamEvents: Operation<FlatInput<NonNullable<StreamEventsData['query']> & { lastEventId?: string }, 'includeDocument' | 'follow'>, Download>;
  listAutomationRules: Operation<FlatInput<NonNullable<ListAutomationRulesData['query']>, 'offset'>, ListAutomationRulesResponses[200]>;
  createAutomationRule: Operation<FlatInput<NonNullable<CreateAutomationRuleData['body']>, 'enabled' | 'collection' | 'searchType' | 'query' | 'threshold' | 'webhookUrl' | 'events' | 'sentimentEnabled' | 'sentimentMin' | 'sentimentMax' | 'conditionLogic' | 'method'>, CreateAutomationRuleResponses[201]>;
  getAutomationRule: Operation<FlatInput<NonNullable<GetAutomationRuleData['path']>>, GetAutomationRuleResponses[200]>;
  updateAutomationRule: Operation<FlatInput<NonNullable<UpdateAutomationRuleData['body']> & NonNullable<UpdateAutomationRuleData['path']>, 'enabled' | 'collection' | 'searchType' | 'query' | 'threshold' | 'webhookUrl' | 'events' | 'sentimentEnabled' | 'sentimentMin' | 'sentimentMax' | 'conditionLogic' | 'method'>, UpdateAutomationRuleResponses[200]>;
  deleteAutomationRule: Operation<FlatInput<NonNullable<DeleteAutomationRuleData['path']>>, DeleteAutomationRuleResponses[200]>;
  testAutomationRule: Operation<FlatInput<NonNullable<TestAutomationRuleData['path']>>, TestAutomationRuleResponses[200]>;
  listAutomationLogs: Operation<FlatInput<NonNullable<ListAutomationLogsData['query']>, 'limit'>, ListAutomationLogsResponses[200]>;
  queryTemporal: Operation<FlatInput<NonNullable<QueryTemporalData['body']>, 'limit'>, QueryTemporalResponses[200]>;
  listHotDocuments: Operation<FlatInput<NonNullable<ListHotDocumentsData['body']>, 'topN'>, ListHotDocumentsResponses[200]>;
  getTemporalHistogram: Operation<FlatInput<NonNullable<GetTemporalHistogramData['body']>, 'eventType' | 'interval'>, GetTemporalHistogramResponses[200]>;
  suggestSpelling: Operation<FlatInput<NonNullable<SuggestSpellingData['body']>, 'maxSuggestions'>, SuggestSpellingResponses[200]>;
  cleanSpelling: Operation<FlatInput<NonNullable<CleanSpellingData['body']>>, CleanSpellingResponses[200]>;
  listDictionary: Operation<FlatInput<NonNullable<ListDictionaryData['query']>>, ListDictionaryResponses[200]>;
  addDictionaryWords: Operation<FlatInput<NonNullable<AddDictionaryWordsData['body']>, 'frequency'>, AddDictionaryWordsResponses[200]>;
  deleteDictionaryWords: Operation<FlatInput<NonNullable<DeleteDictionaryWordsData['body']>>, DeleteDictionaryWordsResponses[200]>;
  login: Operation<FlatInput<NonNullable<LoginData['body']>>, LoginResponses[200]>;
  refreshSession: Operation<Record<never, never>, RefreshSessionResponses[200]>;
  logout: Operation<FlatInput<NonNullable<LogoutData['body']>, 'everywhere'>, LogoutResponses[200]>;
  getSignInMethods: Operation<Record<never, never>, GetSignInMethodsResponses[200]>;
  startOidcSignIn: Operation<Record<never, never>, StartOidcSignInResponses[200]>;
  finishOidcSignIn: Operation<FlatInput<NonNullable<FinishOidcSignInData['body']>>, FinishOidcSignInResponses[200]>;
  registerUser: Operation<FlatInput<NonNullable<RegisterUserData['body']>, 'admin' | 'mustChangePassword'>, RegisterUserResponses[200]>;
  getCurrentUser: Operation<Record<never, never>, GetCurrentUserResponses[200]>;
  changePassword: Operation<FlatInput<NonNullable<ChangePasswordData['body']>>, ChangePasswordResponses[200]>;
  redeemPasswordReset: Operation<FlatInput<NonNullable<RedeemPasswordResetData['body']>>, RedeemPasswordResetResponses[200]>;
  createApiKey: Operation<FlatInput<NonNullable<CreateApiKeyData['body']>, 'description' | 'expiresAt'>, CreateApiKeyResponses[200]>;
  listApiKeys: Operation<FlatInput<NonNullable<ListApiKeysData['query']>, 'offset'>, ListApiKeysResponses[200]>;
  deleteApiKey: Operation<FlatInput<NonNullable<DeleteApiKeyData['path']>>, DeleteApiKeyResponses[200]>;
  revokeApiKey: Operation<FlatInput<NonNullable<RevokeApiKeyData['path']>>, RevokeApiKeyResponses[200]>;
  listUsers: Operation<FlatInput<NonNullable<ListUsersData['query']>, 'offset'>, ListUsersResponses[200]>;
  deleteUser: Operation<FlatInput<NonNullable<DeleteUserData['path']>>, DeleteUserResponses[200]>;
  updateUser: Operation<FlatInput<NonNullable<UpdateUserData['body']> & NonNullable<UpdateUserData['path']>>, UpdateUserResponses[200]>;
  createPasswordReset: Operation<FlatInput<NonNullable<CreatePasswordResetData['body']> & NonNullable<CreatePasswordResetData['path']>, 'expiresIn'>, CreatePasswordResetResponses[200]>;
  setUserRoles: Operation<FlatInput<NonNullable<SetUserRolesData['body']> & NonNullable<SetUserRolesData['path']>>, SetUserRolesResponses[200]>;
  explainAccess: Operation<FlatInput<NonNullable<ExplainAccessData['path']> & NonNullable<ExplainAccessData['query']>>, ExplainAccessResponses[200]>;
  listPermissions: Operation<FlatInput<NonNullable<ListPermissionsData['query']>, 'offset'>, ListPermissionsResponses[200]>;
  setPermission: Operation<FlatInput<NonNullable<SetPermissionData['body']>, 'read' | 'write' | 'admin'>, SetPermissionResponses[200]>;
  listGroups: Operation<FlatInput<NonNullable<ListGroupsData['query']>, 'offset'>, ListGroupsResponses[200]>;
  createGroup: Operation<FlatInput<NonNullable<CreateGroupData['body']>, 'description' | 'members'>, CreateGroupResponses[201]>;
  getGroup: Operation<FlatInput<NonNullable<GetGroupData['path']>>, GetGroupResponses[200]>;
  updateGroup: Operation<FlatInput<NonNullable<UpdateGroupData['body']> & NonNullable<UpdateGroupData['path']>, 'description' | 'members'>, UpdateGroupResponses[200]>;
  deleteGroup: Operation<FlatInput<NonNullable<DeleteGroupData['path']>>, DeleteGroupResponses[200]>;
  setGroupRoles: Operation<FlatInput<NonNullable<SetGroupRolesData['body']> & NonNullable<SetGroupRolesData['path']>>, SetGroupRolesResponses[200]>;
  listRoles: Operation<FlatInput<NonNullable<ListRolesData['query']>, 'offset'>, ListRolesResponses[200]>;
  setRole: Operation<FlatInput<NonNullable<SetRoleData['body']> & NonNullable<SetRoleData['path']>, 'description' | 'permissions'>, SetRoleResponses[200]>;
  deleteRole: Operation<FlatInput<NonNullable<DeleteRoleData['path']>>, DeleteRoleResponses[200]>;
  listGroupPermissions: Operation<FlatInput<NonNullable<ListGroupPermissionsData['query']>, 'offset'>, ListGroupPermissionsResponses[200]>;
  setGroupPermission: Operation<FlatInput<NonNullable<SetGroupPermissionData['body']>, 'read' | 'write' | 'admin'>, SetGroupPermissionResponses[200]>;
  listMcpKeys: Operation<FlatInput<NonNullable<ListMcpKeysData['query']>, 'offset'>, ListMcpKeysResponses[200]>;
  createMcpKey: Operation<FlatInput<NonNullable<CreateMcpKeyData['body']>, 'expiresAt'>, CreateMcpKeyResponses[200]>;
  deleteMcpKey: Operation<FlatInput<NonNullable<DeleteMcpKeyData['body']>>, DeleteMcpKeyResponses[200]>;
  disableMcpKey: Operation<FlatInput<NonNullable<DisableMcpKeyData['body']>>, DisableMcpKeyResponses[200]>;
  listAuditEvents: Operation<FlatInput<NonNullable<ListAuditEventsData['query']>, 'limit'>, ListAuditEventsResponses[200]>;
  listAuditExporters: Operation<Record<never, never>, ListAuditExportersResponses[200]>;
  getEncryptionStatus: Operation<Record<never, never>, GetEncryptionStatusResponses[200]>;
  rotateEncryption: Operation<FlatInput<NonNullable<RotateEncryptionData['body']>, 'collection'>, RotateEncryptionResponses[200]>;
  listEncryptionJobs: Operation<Record<never, never>, ListEncryptionJobsResponses[200]>;
  getEncryptionJob: Operation<FlatInput<NonNullable<GetEncryptionJobData['path']>>, GetEncryptionJobResponses[200]>;
  getReplicationStatus: Operation<Record<never, never>, GetReplicationStatusResponses[200]>;
  listNodes: Operation<FlatInput<NonNullable<ListNodesData['query']>>, ListNodesResponses[200]>;
  drainNode: Operation<FlatInput<NonNullable<DrainNodeData['path']>>, DrainNodeResponses[200]>;
  undrainNode: Operation<FlatInput<NonNullable<UndrainNodeData['path']>>, UndrainNodeResponses[200]>;
}

export type OperationId = keyof Operations;

/** Route, access and media types of each operation. */
export const operations: { readonly [K in OperationId]: OperationSpec } = {
  getHealth: {"id":"getHealth","method":"GET","path":"/health","area":"system","summary":"Report whether the service is healthy","access":"public","effect":"none","probe":"node","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[],"consumes":[],"produces":["application/json"]},
  getHealthV1: {"id":"getHealthV1","method":"GET","path":"/v1/health","area":"system","summary":"Report whether the service is healthy, under /v1","access":"public","effect":"none","probe":"node","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[],"consumes":[],"produces":["application/json"]},
  getReadiness: {"id":"getReadiness","method":"GET","path":"/ready","area":"system","summary":"Report whether every search index serves","access":"public","effect":"none","probe":"store","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[],"consumes":[],"produces":["application/json"]},
  getReadinessV1: {"id":"getReadinessV1","method":"GET","path":"/v1/ready","area":"system","summary":"Report whether every search index serves, under /v1","access":"public","effect":"none","probe":"store","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[],"consumes":[],"produces":["application/json"]},
  getStats: {"id":"getStats","method":"GET","path":"/v1/stats","area":"system","summary":"Count what the database holds","access":"admin","effect":"none","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[],"consumes":[],"produces":["application/json"]},
  getSystemInfo: {"id":"getSystemInfo","method":"GET","path":"/v1/system/info","area":"system","summary":"Describe the process and its machine","access":"admin","effect":"none","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[],"consumes":[],"produces":["application/json"]},
  getConfig: {"id":"getConfig","method":"GET","path":"/v1/config","area":"system","summary":"Describe the server's settings","access":"user","effect":"none","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[],"consumes":[],"produces":["application/json"]},
  listEndpoints: {"id":"listEndpoints","method":"GET","path":"/v1/endpoints","area":"system","summary":"List what the server offers on each protocol","access":"user","effect":"none","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[],"consumes":[],"produces":["application/json"]},
  getComplianceStatus: {"id":"getComplianceStatus","method":"GET","path":"/v1/compliance-status","area":"system","summary":"Report which hardening controls are missing","access":"public","effect":"none","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[],"consumes":[],"produces":["application/json"]},
  getMetrics: {"id":"getMetrics","method":"GET","path":"/metrics","area":"system","summary":"Get metrics in the Prometheus format","access":"public","effect":"none","probe":"node","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[],"consumes":[],"produces":["text/plain"]},
  addDocument: {"id":"addDocument","method":"POST","path":"/v1/add","area":"documents","summary":"Create or update one document","access":"write","effect":"write","collections":["collection"],"readFields":["meta","contentMd","expiresAt","checksum"],"unread":{"addedAt":"updatedAt"},"conditions":["ifMatch","ifNoneMatch","ifChecksum"],"waitsFor":["words","columns","places","vectorFields"],"limited":true,"sanitize":false,"maxValues":300000,"status":200,"parameters":[{"name":"If-Match","in":"header","field":"ifMatch","type":"string"},{"name":"If-None-Match","in":"header","field":"ifNoneMatch","type":"string"}],"consumes":["application/json"],"produces":["application/json"]},
  addDocuments: {"id":"addDocuments","method":"POST","path":"/v1/add-batch","area":"documents","summary":"Create or update many documents","access":"write","effect":"write","collections":["collection"],"readFields":["embeddingDropped"],"waitsFor":["words","columns","places","vectorFields"],"limited":true,"sanitize":true,"maxValues":1000000,"maxItems":{"documents":10000},"status":200,"parameters":[],"consumes":["application/json"],"produces":["application/json"]},
  getDocument: {"id":"getDocument","method":"POST","path":"/v1/get","area":"documents","summary":"Read one document","access":"read","effect":"read","collections":["collection"],"tables":true,"local":true,"noted":true,"limited":true,"sanitize":false,"maxBody":262144,"maxValues":10000,"maxItems":{"fallbackLangs":20},"status":200,"parameters":[{"name":"If-None-Match","in":"header","field":"ifNoneMatch","type":"string"}],"consumes":["application/json"],"produces":["application/json"]},
  searchDocuments: {"id":"searchDocuments","method":"POST","path":"/v1/search","area":"documents","summary":"Find documents by metadata","access":"read","effect":"read","collections":["collection"],"search":{"keys":true},"local":true,"limited":true,"sanitize":false,"maxBody":262144,"maxValues":10000,"maxItems":{"langs":100,"rangeMeta":100,"fields":100},"status":200,"parameters":[],"consumes":["application/json"],"produces":["application/json"]},
  updateDocument: {"id":"updateDocument","method":"PATCH","path":"/v1/update","area":"documents","summary":"Change parts of a document","access":"write","effect":"write","collections":["collection"],"readFields":["meta","contentMd","expiresAt","checksum"],"unread":{"addedAt":"updatedAt"},"conditions":["ifMatch","ifChecksum"],"waitsFor":["words","columns","places","vectorFields"],"limited":true,"sanitize":false,"maxValues":300000,"status":200,"parameters":[{"name":"If-Match","in":"header","field":"ifMatch","type":"string"}],"consumes":["application/json"],"produces":["application/json"]},
  getDocumentMeta: {"id":"getDocumentMeta","method":"GET","path":"/v1/doc-meta","area":"documents","summary":"Read a document's metadata without its body","access":"read","effect":"read","collections":["collection"],"tables":true,"local":true,"limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[{"name":"If-None-Match","in":"header","field":"ifNoneMatch","type":"string"},{"name":"collection","in":"query","field":"collection","type":"string"},{"name":"key","in":"query","field":"key","type":"string"},{"name":"lang","in":"query","field":"lang","type":"string"}],"consumes":[],"produces":["application/json"]},
  setDocumentTtl: {"id":"setDocumentTtl","method":"POST","path":"/v1/set-ttl","area":"documents","summary":"Set or remove a document's expiry","access":"write","effect":"write","collections":["collection"],"readFields":["meta","contentMd","checksum"],"unread":{"addedAt":"updatedAt"},"conditions":["ifMatch","ifChecksum"],"waitsFor":["words","columns","places","vectorFields"],"limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[{"name":"If-Match","in":"header","field":"ifMatch","type":"string"}],"consumes":["application/json"],"produces":["application/json"]},
  deleteDocument: {"id":"deleteDocument","method":"POST","path":"/v1/delete","area":"documents","summary":"Delete one document","access":"write","effect":"write","collections":["collection"],"conditions":["ifMatch","ifChecksum"],"waitsFor":["words","columns","places","vectorFields"],"limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[{"name":"If-Match","in":"header","field":"ifMatch","type":"string"}],"consumes":["application/json"],"produces":["application/json"]},
  deleteDocuments: {"id":"deleteDocuments","method":"POST","path":"/v1/delete-batch","area":"documents","summary":"Delete many documents","access":"write","effect":"write","collections":["collection"],"waitsFor":["words","columns","places","vectorFields"],"limited":true,"sanitize":false,"maxBody":16777216,"maxValues":100000,"maxItems":{"documents":10000},"status":200,"parameters":[],"consumes":["application/json"],"produces":["application/json"]},
  deleteCollection: {"id":"deleteCollection","method":"POST","path":"/v1/delete-collection","area":"documents","summary":"Delete all documents of a collection","access":"write","effect":"write","collections":["collection"],"unread":{"deleted":0},"waitsFor":["words","columns","places","vectorFields"],"limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[],"consumes":["application/json"],"produces":["application/json"]},
  listMetaKeys: {"id":"listMetaKeys","method":"GET","path":"/v1/meta-keys","area":"documents","summary":"List metadata keys and their values","access":"read","effect":"read","collections":["collection"],"local":true,"limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[{"name":"collection","in":"query","field":"collection","type":"string"},{"name":"key","in":"query","field":"key","type":"string"},{"name":"limit","in":"query","field":"limit","type":"integer"},{"name":"offset","in":"query","field":"offset","type":"integer"}],"consumes":[],"produces":["application/json"]},
  getChecksum: {"id":"getChecksum","method":"GET","path":"/v1/checksum","area":"documents","summary":"Get a checksum of a collection","access":"read","effect":"read","collections":["collection"],"local":true,"limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[{"name":"collection","in":"query","field":"collection","type":"string"}],"consumes":[],"produces":["application/json"]},
  listRevisions: {"id":"listRevisions","method":"POST","path":"/v1/revisions","area":"documents","summary":"List a document's revisions","access":"read","effect":"read","collections":["collection"],"tables":true,"local":true,"limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[],"consumes":["application/json"],"produces":["application/json"]},
  restoreRevision: {"id":"restoreRevision","method":"POST","path":"/v1/revisions/restore","area":"documents","summary":"Bring back an earlier version of a document","access":"write","effect":"write","collections":["collection"],"readFields":["meta","contentMd","expiresAt","checksum"],"unread":{"addedAt":"updatedAt"},"conditions":["ifMatch","ifChecksum"],"waitsFor":["words","columns","places","vectorFields"],"limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[{"name":"If-Match","in":"header","field":"ifMatch","type":"string"}],"consumes":["application/json"],"produces":["application/json"]},
  truncateRevisions: {"id":"truncateRevisions","method":"POST","path":"/v1/truncate","area":"documents","summary":"Trim the history of a collection","access":"write","effect":"write","collections":["collection"],"unread":{"deleted":0},"limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[],"consumes":["application/json"],"produces":["application/json"]},
  ingestDocuments: {"id":"ingestDocuments","method":"POST","path":"/v1/ingest","area":"ingest","summary":"Ingest scraped documents","access":"write","effect":"write","collections":["collection"],"readFields":["embeddingDropped"],"conditions":["options.skipDuplicates"],"waitsFor":["words","columns","places","vectorFields"],"limited":true,"sanitize":true,"maxValues":1000000,"maxItems":{"documents":10000},"status":200,"parameters":[],"consumes":["application/json"],"produces":["application/json"]},
  importDocuments: {"id":"importDocuments","method":"POST","path":"/v1/import","area":"ingest","summary":"Import documents as a stream of lines","access":"write","effect":"write","collections":["collection"],"limited":false,"sanitize":true,"maxValues":10000,"status":200,"parameters":[{"name":"collection","in":"query","field":"collection","type":"string"},{"name":"profile","in":"query","field":"profile","type":"string"},{"name":"saveRevision","in":"query","field":"saveRevision","type":"boolean"}],"consumes":["application/x-ndjson"],"produces":["application/x-ndjson"]},
  submitBulkIngest: {"id":"submitBulkIngest","method":"POST","path":"/v1/bulk-ingest-job","area":"ingest","summary":"Queue documents for loading in the background","access":"write","effect":"write","collections":["collection"],"limited":true,"sanitize":true,"maxValues":1000000,"maxItems":{"documents":100000},"status":202,"parameters":[],"consumes":["application/json"],"produces":["application/json"]},
  getBulkIngest: {"id":"getBulkIngest","method":"GET","path":"/v1/bulk-ingest-job/{id}","area":"ingest","summary":"Follow a bulk ingest job","access":"user","effect":"read","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[{"name":"id","in":"path","field":"id","type":"string"}],"consumes":[],"produces":["application/json"]},
  cancelBulkIngest: {"id":"cancelBulkIngest","method":"DELETE","path":"/v1/bulk-ingest-job/{id}","area":"ingest","summary":"Cancel a pending bulk ingest job","access":"user","effect":"write","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[{"name":"id","in":"path","field":"id","type":"string"}],"consumes":[],"produces":["application/json"]},
  listBulkIngest: {"id":"listBulkIngest","method":"GET","path":"/v1/bulk-ingest-jobs","area":"ingest","summary":"List bulk ingest jobs","access":"user","effect":"read","collections":["collection"],"limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[{"name":"collection","in":"query","field":"collection","type":"string"}],"consumes":[],"produces":["application/json"]},
  uploadFiles: {"id":"uploadFiles","method":"POST","path":"/v1/upload","area":"ingest","summary":"Upload files and store them as documents","access":"write","effect":"write","collections":["collection"],"readFields":["document.meta","document.contentMd","document.expiresAt","results.document.meta","results.document.contentMd","results.document.expiresAt"],"unread":{"document.addedAt":"updatedAt","results.document.addedAt":"updatedAt"},"waitsFor":["words","columns","places","vectorFields"],"limited":false,"sanitize":false,"maxValues":300000,"maxItems":{"files[]":1000},"status":200,"parameters":[],"consumes":["multipart/form-data"],"produces":["application/json"]},
  importUrl: {"id":"importUrl","method":"POST","path":"/v1/import-url","area":"ingest","summary":"Fetch a page and store it as a document","access":"write","effect":"write","collections":["collection"],"readFields":["meta","contentMd","expiresAt","checksum"],"unread":{"addedAt":"updatedAt"},"waitsFor":["words","columns","places","vectorFields"],"limited":false,"sanitize":false,"maxBody":4194304,"maxValues":300000,"status":200,"parameters":[],"consumes":["application/json"],"produces":["application/json"]},
  importWiki: {"id":"importWiki","method":"POST","path":"/v1/import-wiki","area":"ingest","summary":"Import a wiki dump","access":"write","effect":"write","collections":["collection"],"waitsFor":["words","columns","places","vectorFields"],"limited":false,"sanitize":false,"maxValues":10000,"status":200,"parameters":[{"name":"collection","in":"query","field":"collection","type":"string"},{"name":"lang","in":"query","field":"lang","type":"string"},{"name":"namespaces","in":"query","field":"namespaces","type":"string"},{"name":"skipRedirects","in":"query","field":"skipRedirects","type":"boolean"},{"name":"skipFts","in":"query","field":"skipFts","type":"boolean"},{"name":"maxPages","in":"query","field":"maxPages","type":"integer"},{"name":"batchSize","in":"query","field":"batchSize","type":"integer"},{"name":"profile","in":"query","field":"profile","type":"string"},{"name":"filename","in":"query","field":"filename","type":"string"}],"consumes":["multipart/form-data","application/octet-stream","application/bzip2","application/x-bzip2"],"produces":["application/json"]},
  exportDocuments: {"id":"exportDocuments","method":"POST","path":"/v1/export","area":"maintenance","summary":"Export documents","access":"read","effect":"read","collections":["collection"],"tables":true,"limited":false,"sanitize":false,"maxBody":262144,"maxValues":10000,"maxItems":{"langs":100},"status":200,"parameters":[],"consumes":["application/json"],"produces":["application/x-ndjson","application/zip"]},
  createBackupByQuery: {"id":"createBackupByQuery","method":"GET","path":"/v1/backup","area":"maintenance","summary":"Back up the database to a file, by GET","access":"admin","effect":"none","stores":true,"limited":false,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[{"name":"to","in":"query","field":"to","type":"string"}],"consumes":[],"produces":["application/json"]},
  createBackup: {"id":"createBackup","method":"POST","path":"/v1/backup","area":"maintenance","summary":"Back up the database to a file","access":"admin","effect":"none","stores":true,"limited":false,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[],"consumes":["application/json"],"produces":["application/json"]},
  restoreBackup: {"id":"restoreBackup","method":"POST","path":"/v1/restore","area":"maintenance","summary":"Replace the database by a backup","access":"admin","effect":"write","limited":false,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[],"consumes":["application/json"],"produces":["application/json"]},
  getCollectionConfig: {"id":"getCollectionConfig","method":"GET","path":"/v1/collection-config","area":"collections","summary":"Read a collection's configuration","access":"read","effect":"read","collections":["collection"],"tables":true,"local":true,"limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[{"name":"collection","in":"query","field":"collection","type":"string"}],"consumes":[],"produces":["application/json"]},
  setCollectionConfig: {"id":"setCollectionConfig","method":"PUT","path":"/v1/collection-config","area":"collections","summary":"Change a collection's configuration","access":"admin","effect":"write","collections":["collection"],"limited":true,"sanitize":false,"maxBody":262144,"maxValues":10000,"status":200,"parameters":[],"consumes":["application/json"],"produces":["application/json"]},
  deleteCollectionConfig: {"id":"deleteCollectionConfig","method":"DELETE","path":"/v1/collection-config","area":"collections","summary":"Remove a collection's configuration","access":"admin","effect":"write","collections":["collection"],"limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[{"name":"collection","in":"query","field":"collection","type":"string"}],"consumes":[],"produces":["application/json"]},
  listCollectionConfigs: {"id":"listCollectionConfigs","method":"GET","path":"/v1/collection-configs","area":"collections","summary":"List all collection configurations","access":"user","effect":"read","pages":"configs","tables":true,"local":true,"limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[{"name":"offset","in":"query","field":"offset","type":"integer"},{"name":"limit","in":"query","field":"limit","type":"integer"}],"consumes":[],"produces":["application/json"]},
  setSchema: {"id":"setSchema","method":"POST","path":"/v1/schema/set","area":"schemas","summary":"Set a collection's metadata schema","access":"admin","effect":"write","collections":["collection"],"limited":true,"sanitize":false,"maxBody":4194304,"maxValues":300000,"status":200,"parameters":[],"consumes":["application/json"],"produces":["application/json"]},
  getSchema: {"id":"getSchema","method":"POST","path":"/v1/schema/get","area":"schemas","summary":"Read a collection's metadata schema","access":"read","effect":"read","collections":["collection"],"tables":true,"local":true,"limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[],"consumes":["application/json"],"produces":["application/json"]},
  deleteSchema: {"id":"deleteSchema","method":"POST","path":"/v1/schema/delete","area":"schemas","summary":"Remove a collection's metadata schema","access":"admin","effect":"write","collections":["collection"],"limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[],"consumes":["application/json"],"produces":["application/json"]},
  listSchemas: {"id":"listSchemas","method":"POST","path":"/v1/schema/list","area":"schemas","summary":"List all metadata schemas","access":"user","effect":"read","pages":"schemas","tables":true,"local":true,"limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[],"consumes":["application/json"],"produces":["application/json"]},
  validateDocument: {"id":"validateDocument","method":"POST","path":"/v1/validate","area":"schemas","summary":"Check metadata against the schema without writing","access":"read","effect":"read","collections":["collection"],"local":true,"limited":true,"sanitize":false,"maxBody":4194304,"maxValues":300000,"status":200,"parameters":[],"consumes":["application/json"],"produces":["application/json"]},
  searchFullTextByQuery: {"id":"searchFullTextByQuery","method":"GET","path":"/v1/fts","area":"fulltext","summary":"Search a collection by words, in an address","access":"read","effect":"read","collections":["collection"],"search":{"metric":"fts","algorithm":"algorithm","gate":true,"keys":true},"local":true,"limited":true,"sanitize":false,"maxBody":262144,"maxValues":10000,"status":200,"parameters":[{"name":"collection","in":"query","field":"collection","type":"string"},{"name":"query","in":"query","field":"query","type":"string"},{"name":"q","in":"query","field":"q","type":"string"},{"name":"limit","in":"query","field":"limit","type":"integer"},{"name":"topK","in":"query","field":"topK","type":"integer"},{"name":"offset","in":"query","field":"offset","type":"integer"},{"name":"sort","in":"query","field":"sort","type":"string"},{"name":"filter","in":"query","field":"filter","type":"string"},{"name":"algorithm","in":"query","field":"algorithm","type":"string"},{"name":"mode","in":"query","field":"mode","type":"string"},{"name":"distance","in":"query","field":"distance","type":"integer"},{"name":"fuzzy","in":"query","field":"fuzzy","type":"integer"},{"name":"prefix","in":"query","field":"prefix","type":"string"},{"name":"matchingStrategy","in":"query","field":"matchingStrategy","type":"string"},{"name":"totals","in":"query","field":"totals","type":"string"},{"name":"partial","in":"query","field":"partial","type":"boolean"},{"name":"lang","in":"query","field":"lang","type":"string"},{"name":"disableStem","in":"query","field":"disableStem","type":"boolean"},{"name":"disableSynonyms","in":"query","field":"disableSynonyms","type":"boolean"},{"name":"rerank","in":"query","field":"rerank","type":"boolean"},{"name":"mmr","in":"query","field":"mmr","type":"boolean"},{"name":"mmrLambda","in":"query","field":"mmrLambda","type":"number"},{"name":"highlight","in":"query","field":"highlight","type":"boolean"},{"name":"highlightTag","in":"query","field":"highlightTag","type":"string"},{"name":"highlightEscape","in":"query","field":"highlightEscape","type":"string"},{"name":"maxHighlights","in":"query","field":"maxHighlights","type":"integer"},{"name":"fragmentSize","in":"query","field":"fragmentSize","type":"integer"},{"name":"includeContent","in":"query","field":"includeContent","type":"boolean"},{"name":"contextTokenBudget","in":"query","field":"contextTokenBudget","type":"integer"},{"name":"meta","in":"query","field":"meta","type":"object","items":"string"}],"consumes":[],"produces":["application/json"]},
  searchFullText: {"id":"searchFullText","method":"POST","path":"/v1/fts","area":"fulltext","summary":"Search a collection by words","access":"read","effect":"read","collections":["collection"],"search":{"metric":"fts","algorithm":"algorithm","gate":true,"keys":true},"local":true,"limited":true,"sanitize":false,"maxBody":262144,"maxValues":10000,"maxItems":{"langs":100,"facetBy":100,"fields":100},"status":200,"parameters":[],"consumes":["application/json"],"produces":["application/json"]},
  reindexFullText: {"id":"reindexFullText","method":"POST","path":"/v1/fts-reindex","area":"fulltext","summary":"Rebuild the full-text index of a collection","access":"write","effect":"write","collections":["collection"],"unread":{"reindexed":0},"limited":false,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[{"name":"collection","in":"query","field":"collection","type":"string"}],"consumes":[],"produces":["application/json"]},
  listFullTextLanguages: {"id":"listFullTextLanguages","method":"GET","path":"/v1/fts-languages","area":"fulltext","summary":"List the languages of full-text search","access":"user","effect":"read","local":true,"limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[],"consumes":[],"produces":["application/json"]},
  autocomplete: {"id":"autocomplete","method":"GET","path":"/v1/autocomplete","area":"fulltext","summary":"Complete a prefix from the index","access":"read","effect":"read","collections":["collection"],"search":{"keys":true},"local":true,"limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[{"name":"collection","in":"query","field":"collection","type":"string"},{"name":"q","in":"query","field":"q","type":"string"},{"name":"field","in":"query","field":"field","type":"string"},{"name":"topN","in":"query","field":"topN","type":"integer"}],"consumes":[],"produces":["application/json"]},
  listSynonyms: {"id":"listSynonyms","method":"GET","path":"/v1/synonyms","area":"fulltext","summary":"List the synonyms of a collection","access":"read","effect":"read","collections":["collection"],"local":true,"limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[{"name":"collection","in":"query","field":"collection","type":"string"},{"name":"offset","in":"query","field":"offset","type":"integer"}],"consumes":[],"produces":["application/json"]},
  addSynonyms: {"id":"addSynonyms","method":"POST","path":"/v1/synonyms","area":"fulltext","summary":"Add synonyms of a term","access":"write","effect":"write","collections":["collection"],"limited":true,"sanitize":false,"maxBody":1048576,"maxValues":50000,"maxItems":{"synonyms":1000},"status":200,"parameters":[],"consumes":["application/json"],"produces":["application/json"]},
  deleteSynonym: {"id":"deleteSynonym","method":"DELETE","path":"/v1/synonyms","area":"fulltext","summary":"Remove the synonyms of a term","access":"write","effect":"write","collections":["collection"],"limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[],"consumes":["application/json"],"produces":["application/json"]},
  listStopWords: {"id":"listStopWords","method":"GET","path":"/v1/stopwords","area":"fulltext","summary":"List the stop words of a collection","access":"read","effect":"read","collections":["collection"],"local":true,"limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[{"name":"collection","in":"query","field":"collection","type":"string"},{"name":"offset","in":"query","field":"offset","type":"integer"}],"consumes":[],"produces":["application/json"]},
  addStopWords: {"id":"addStopWords","method":"POST","path":"/v1/stopwords","area":"fulltext","summary":"Add stop words to a collection","access":"write","effect":"write","collections":["collection"],"unread":{"added":0},"limited":true,"sanitize":false,"maxBody":1048576,"maxValues":50000,"maxItems":{"words":10000},"status":200,"parameters":[],"consumes":["application/json"],"produces":["application/json"]},
  deleteStopWords: {"id":"deleteStopWords","method":"DELETE","path":"/v1/stopwords","area":"fulltext","summary":"Remove stop words from a collection","access":"write","effect":"write","collections":["collection"],"unread":{"deleted":0},"limited":true,"sanitize":false,"maxBody":1048576,"maxValues":50000,"maxItems":{"words":10000},"status":200,"parameters":[],"consumes":["application/json"],"produces":["application/json"]},
  aggregateDocuments: {"id":"aggregateDocuments","method":"POST","path":"/v1/aggregate","area":"fulltext","summary":"Count documents by metadata and time","access":"read","effect":"read","collections":["collection"],"search":{"keys":true},"local":true,"limited":true,"sanitize":false,"maxBody":262144,"maxValues":10000,"maxItems":{"langs":100,"facets":100,"histograms":10},"status":200,"parameters":[],"consumes":["application/json"],"produces":["application/json"]},
  listCurationRules: {"id":"listCurationRules","method":"GET","path":"/v1/curation","area":"curation","summary":"Read one curation rule or list them","access":"user","effect":"read","collections":["collection"],"pages":"rules","local":true,"limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[{"name":"id","in":"query","field":"id","type":"string"},{"name":"collection","in":"query","field":"collection","type":"string"},{"name":"offset","in":"query","field":"offset","type":"integer"},{"name":"limit","in":"query","field":"limit","type":"integer"}],"consumes":[],"produces":["application/json"]},
  updateCurationRule: {"id":"updateCurationRule","method":"PUT","path":"/v1/curation","area":"curation","summary":"Replace a curation rule","access":"write","effect":"write","collections":["collection"],"unread":{"createdAt":"updatedAt"},"limited":true,"sanitize":false,"maxBody":262144,"maxValues":10000,"maxItems":{"pins":1000,"hides":1000},"status":200,"parameters":[],"consumes":["application/json"],"produces":["application/json"]},
  createCurationRule: {"id":"createCurationRule","method":"POST","path":"/v1/curation","area":"curation","summary":"Create a curation rule","access":"write","effect":"write","collections":["collection"],"limited":true,"sanitize":false,"maxBody":262144,"maxValues":10000,"maxItems":{"pins":1000,"hides":1000},"status":200,"parameters":[],"consumes":["application/json"],"produces":["application/json"]},
  deleteCurationRule: {"id":"deleteCurationRule","method":"DELETE","path":"/v1/curation","area":"curation","summary":"Remove a curation rule","access":"write","effect":"write","collections":["collection"],"limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[{"name":"id","in":"query","field":"id","type":"string"},{"name":"collection","in":"query","field":"collection","type":"string"}],"consumes":[],"produces":["application/json"]},
  searchVectors: {"id":"searchVectors","method":"POST","path":"/v1/vector-search","area":"vectors","summary":"Search a collection by meaning","access":"read","effect":"read","collections":["collection"],"search":{"metric":"vector","algorithm":"algorithm","keys":true},"local":true,"limited":true,"sanitize":false,"maxBody":2097152,"maxValues":100000,"maxItems":{"queryVectors":512,"vectorFields":16,"langs":100,"rangeMeta":100,"fields":100,"facetBy":100},"status":200,"parameters":[],"consumes":["application/json"],"produces":["application/json"]},
  reindexVectors: {"id":"reindexVectors","method":"POST","path":"/v1/vector-reindex","area":"vectors","summary":"Embed the documents of a collection","access":"write","effect":"write","collections":["collection"],"readFields":["errors"],"unread":{"embedded":0,"skipped":0,"failed":0,"totalChunks":0},"waitsFor":["vectors"],"feature":"embedding","limited":false,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[],"consumes":["application/json"],"produces":["application/json"]},
  getVectorStats: {"id":"getVectorStats","method":"GET","path":"/v1/vector-stats","area":"vectors","summary":"Read the state of embeddings","access":"user","effect":"read","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[],"consumes":[],"produces":["application/json"]},
  evaluateVectors: {"id":"evaluateVectors","method":"POST","path":"/v1/vector-evaluate","area":"vectors","summary":"Compare the vectors of fields","access":"read","effect":"read","collections":["collection"],"local":true,"feature":"embedding","limited":false,"sanitize":false,"maxBody":1048576,"maxValues":10000,"maxItems":{"vectorFields":8,"queries":500},"status":200,"parameters":[],"consumes":["application/json"],"produces":["application/json"]},
  projectVectors: {"id":"projectVectors","method":"POST","path":"/v1/vector-projection","area":"vectors","summary":"Draw the vectors of a collection on a plane","access":"read","effect":"read","collections":["collection"],"local":true,"limited":true,"sanitize":false,"maxBody":2097152,"maxValues":100000,"maxItems":{"queryVector":65536},"status":200,"parameters":[],"consumes":["application/json"],"produces":["application/json"]},
  classifyDocument: {"id":"classifyDocument","method":"POST","path":"/v1/classify","area":"vectors","summary":"Score labels for a text or a document","access":"user","effect":"read","collections":["collection"],"local":true,"feature":"embedding","limited":true,"sanitize":false,"maxBody":1048576,"maxValues":10000,"maxItems":{"labels":100},"status":200,"parameters":[],"consumes":["application/json"],"produces":["application/json"]},
  searchAcrossCollections: {"id":"searchAcrossCollections","method":"POST","path":"/v1/cross-search","area":"vectors","summary":"Search several collections by meaning","access":"user","effect":"read","collections":["sourceCollection","targetCollections"],"search":{"metric":"cross","algorithm":"algorithm"},"local":true,"limited":true,"sanitize":false,"maxBody":2097152,"maxValues":100000,"maxItems":{"queryVector":65536,"targetCollections":1000,"langs":100,"rangeMeta":100,"fields":100},"status":200,"parameters":[],"consumes":["application/json"],"produces":["application/json"]},
  findSimilar: {"id":"findSimilar","method":"POST","path":"/v1/similar","area":"vectors","summary":"Find documents like one that is stored","access":"read","effect":"read","collections":["collection"],"search":{"metric":"similar","algorithm":"algorithm","keys":true},"local":true,"limited":true,"sanitize":false,"maxBody":262144,"maxValues":10000,"maxItems":{"langs":100,"rangeMeta":100,"fields":100,"facetBy":100},"status":200,"parameters":[],"consumes":["application/json"],"produces":["application/json"]},
  findDuplicates: {"id":"findDuplicates","method":"POST","path":"/v1/find-duplicates","area":"vectors","summary":"Find equal and similar documents","access":"read","effect":"read","collections":["collection"],"local":true,"limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[],"consumes":["application/json"],"produces":["application/json"]},
  listEmbeddingConfigs: {"id":"listEmbeddingConfigs","method":"GET","path":"/v1/embedding-configs","area":"embeddings","summary":"List the embedding configurations","access":"admin","effect":"read","pages":"configs","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[{"name":"offset","in":"query","field":"offset","type":"integer"},{"name":"limit","in":"query","field":"limit","type":"integer"}],"consumes":[],"produces":["application/json"]},
  createEmbeddingConfig: {"id":"createEmbeddingConfig","method":"POST","path":"/v1/embedding-configs","area":"embeddings","summary":"Create an embedding configuration","access":"admin","effect":"write","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[],"consumes":["application/json"],"produces":["application/json"]},
  getEmbeddingConfig: {"id":"getEmbeddingConfig","method":"GET","path":"/v1/embedding-configs/{id}","area":"embeddings","summary":"Read an embedding configuration","access":"admin","effect":"read","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[{"name":"id","in":"path","field":"id","type":"string"}],"consumes":[],"produces":["application/json"]},
  updateEmbeddingConfig: {"id":"updateEmbeddingConfig","method":"PUT","path":"/v1/embedding-configs/{id}","area":"embeddings","summary":"Change an embedding configuration","access":"admin","effect":"write","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[{"name":"id","in":"path","field":"id","type":"string"}],"consumes":["application/json"],"requiresBody":true,"produces":["application/json"]},
  deleteEmbeddingConfig: {"id":"deleteEmbeddingConfig","method":"DELETE","path":"/v1/embedding-configs/{id}","area":"embeddings","summary":"Remove an embedding configuration","access":"admin","effect":"write","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":204,"parameters":[{"name":"id","in":"path","field":"id","type":"string"}],"consumes":[],"produces":[]},
  setDefaultEmbeddingConfig: {"id":"setDefaultEmbeddingConfig","method":"POST","path":"/v1/embedding-configs/set-default","area":"embeddings","summary":"Choose the default embedding configuration","access":"admin","effect":"write","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[],"consumes":["application/json"],"produces":["application/json"]},
  searchHybrid: {"id":"searchHybrid","method":"POST","path":"/v1/hybrid-search","area":"hybrid","summary":"Search a collection by words and meaning","access":"read","effect":"read","collections":["collection"],"search":{"metric":"hybrid","algorithm":"ftsAlgorithm","keys":true},"local":true,"limited":true,"sanitize":false,"maxBody":2097152,"maxValues":100000,"maxItems":{"queryVectors":512,"langs":100,"rangeMeta":100,"facetBy":100,"fields":100},"status":200,"parameters":[],"consumes":["application/json"],"produces":["application/json"]},
  searchGeo: {"id":"searchGeo","method":"POST","path":"/v1/geo-search","area":"geo","summary":"Find documents near a point","access":"read","effect":"read","collections":["collection"],"search":{"keys":true},"local":true,"limited":true,"sanitize":false,"maxBody":262144,"maxValues":10000,"maxItems":{"langs":100,"rangeMeta":100,"fields":100},"status":200,"parameters":[],"consumes":["application/json"],"produces":["application/json"]},
  searchGeoWithin: {"id":"searchGeoWithin","method":"POST","path":"/v1/geo-within","area":"geo","summary":"Find documents in a box","access":"read","effect":"read","collections":["collection"],"search":{"keys":true},"local":true,"limited":true,"sanitize":false,"maxBody":262144,"maxValues":10000,"maxItems":{"langs":100,"rangeMeta":100,"fields":100},"status":200,"parameters":[],"consumes":["application/json"],"produces":["application/json"]},
  searchGeoPolygon: {"id":"searchGeoPolygon","method":"POST","path":"/v1/geo-polygon","area":"geo","summary":"Find documents in a shape","access":"read","effect":"read","collections":["collection"],"search":{"keys":true},"local":true,"limited":true,"sanitize":false,"maxBody":8388608,"maxValues":500000,"maxItems":{"langs":100,"rangeMeta":100,"fields":100},"status":200,"parameters":[],"consumes":["application/json"],"produces":["application/json"]},
  reindexGeo: {"id":"reindexGeo","method":"POST","path":"/v1/geo-reindex","area":"geo","summary":"Rebuild the geo index","access":"write","effect":"write","collections":["collection"],"unread":{"points":0},"limited":false,"sanitize":false,"maxBody":65536,"maxValues":10000,"maxItems":{"loadPostcodes":250},"status":200,"parameters":[],"consumes":["application/json"],"produces":["application/json"]},
  getGeoStats: {"id":"getGeoStats","method":"GET","path":"/v1/geo-stats","area":"geo","summary":"Read the state of the geo index","access":"user","effect":"read","local":true,"limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[],"consumes":[],"produces":["application/json"]},
  encodeGeohash: {"id":"encodeGeohash","method":"POST","path":"/v1/geo-encode","area":"geo","summary":"Turn a point into a geohash","access":"user","effect":"read","tables":true,"local":true,"limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[],"consumes":["application/json"],"produces":["application/json"]},
  decodeGeohash: {"id":"decodeGeohash","method":"POST","path":"/v1/geo-decode","area":"geo","summary":"Turn a geohash into a point and a box","access":"user","effect":"read","tables":true,"local":true,"limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[],"consumes":["application/json"],"produces":["application/json"]},
  getCodeGraph: {"id":"getCodeGraph","method":"GET","path":"/v1/code-graph","area":"codegraph","summary":"Follow the dependencies of a source document","access":"read","effect":"read","collections":["collection"],"local":true,"limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[{"name":"collection","in":"query","field":"collection","type":"string"},{"name":"key","in":"query","field":"key","type":"string"},{"name":"direction","in":"query","field":"direction","type":"string"},{"name":"depth","in":"query","field":"depth","type":"integer"},{"name":"maxDegree","in":"query","field":"maxDegree","type":"integer"},{"name":"lines","in":"query","field":"lines","type":"boolean"}],"consumes":[],"produces":["application/json"]},
  queryCodeGraph: {"id":"queryCodeGraph","method":"POST","path":"/v1/code-graph","area":"codegraph","summary":"Follow the dependencies of a source document, asked in a body","access":"read","effect":"read","collections":["collection"],"local":true,"limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[],"consumes":["application/json"],"produces":["application/json"]},
  startSession: {"id":"startSession","method":"POST","path":"/v1/memory/session","area":"memory","summary":"Open a conversation","access":"write","effect":"write","collections":["_memory"],"readFields":["title","meta"],"waitsFor":["words","columns","places"],"limited":true,"sanitize":false,"maxBody":4194304,"maxValues":300000,"status":200,"parameters":[],"consumes":["application/json"],"produces":["application/json"]},
  addMessage: {"id":"addMessage","method":"POST","path":"/v1/memory/message","area":"memory","summary":"Store a message of a conversation","access":"write","effect":"write","collections":["_memory"],"readFields":["content","meta"],"waitsFor":["words","columns","places"],"limited":true,"sanitize":false,"maxBody":4194304,"maxValues":300000,"status":200,"parameters":[],"consumes":["application/json"],"produces":["application/json"]},
  recallMemory: {"id":"recallMemory","method":"POST","path":"/v1/memory/recall","area":"memory","summary":"Find past messages","access":"read","effect":"read","collections":["_memory"],"search":{"metric":"memory","algorithm":"strategy"},"local":true,"limited":true,"sanitize":false,"maxBody":262144,"maxValues":10000,"maxItems":{"langs":100,"rangeMeta":100},"status":200,"parameters":[],"consumes":["application/json"],"produces":["application/json"]},
  summarizeSession: {"id":"summarizeSession","method":"POST","path":"/v1/memory/summarize","area":"memory","summary":"Condense a conversation","access":"write","effect":"write","collections":["_memory"],"readFields":["summary"],"unread":{"messages":0},"waitsFor":["words","columns","places"],"limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[],"consumes":["application/json"],"produces":["application/json"]},
  listSessions: {"id":"listSessions","method":"POST","path":"/v1/memory/sessions","area":"memory","summary":"List conversations","access":"read","effect":"read","collections":["_memory"],"local":true,"limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[],"consumes":["application/json"],"produces":["application/json"]},
  getSessionHistory: {"id":"getSessionHistory","method":"POST","path":"/v1/memory/history","area":"memory","summary":"Read a conversation in order","access":"read","effect":"read","collections":["_memory"],"local":true,"limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[],"consumes":["application/json"],"produces":["application/json"]},
  deleteSession: {"id":"deleteSession","method":"DELETE","path":"/v1/memory/sessions/{id}","area":"memory","summary":"Delete a conversation","access":"write","effect":"write","collections":["_memory"],"unread":{"messages":0},"waitsFor":["words","columns","places"],"limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[{"name":"id","in":"path","field":"id","type":"string"}],"consumes":[],"produces":["application/json"]},
  listWebhooks: {"id":"listWebhooks","method":"GET","path":"/v1/webhooks","area":"webhooks","summary":"List the webhooks","access":"admin","effect":"read","pages":"*","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[{"name":"collection","in":"query","field":"collection","type":"string"},{"name":"offset","in":"query","field":"offset","type":"integer"},{"name":"limit","in":"query","field":"limit","type":"integer"}],"consumes":[],"produces":["application/json"]},
  createWebhook: {"id":"createWebhook","method":"POST","path":"/v1/webhooks","area":"webhooks","summary":"Register a webhook","access":"admin","effect":"write","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"maxItems":{"events":100},"status":200,"parameters":[],"consumes":["application/json"],"produces":["application/json"]},
  deleteWebhook: {"id":"deleteWebhook","method":"POST","path":"/v1/webhooks/delete","area":"webhooks","summary":"Delete a webhook","access":"admin","effect":"write","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[],"consumes":["application/json"],"produces":["application/json"]},
  updateWebhook: {"id":"updateWebhook","method":"POST","path":"/v1/webhooks/update","area":"webhooks","summary":"Change, pause or resume a webhook","access":"admin","effect":"write","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"maxItems":{"events":100},"status":200,"parameters":[],"consumes":["application/json"],"produces":["application/json"]},
  listWebhookDeadLetters: {"id":"listWebhookDeadLetters","method":"GET","path":"/v1/webhooks/dead-letters","area":"webhooks","summary":"List deliveries that were given up","access":"admin","effect":"read","pages":"deadLetters","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[{"name":"webhookId","in":"query","field":"webhookId","type":"string"},{"name":"offset","in":"query","field":"offset","type":"integer"},{"name":"limit","in":"query","field":"limit","type":"integer"}],"consumes":[],"produces":["application/json"]},
  redeliverWebhooks: {"id":"redeliverWebhooks","method":"POST","path":"/v1/webhooks/redeliver","area":"webhooks","summary":"Deliver dead letters again","access":"admin","effect":"write","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[],"consumes":["application/json"],"requiresBody":true,"produces":["application/json"]},
  testWebhook: {"id":"testWebhook","method":"POST","path":"/v1/webhooks/test","area":"webhooks","summary":"Test a webhook","access":"admin","effect":"write","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[],"consumes":["application/json"],"produces":["application/json"]},
  streamEvents: {"id":"streamEvents","method":"GET","path":"/v1/events","area":"events","summary":"Follow what happens, as server-sent events","access":"user","effect":"read","collections":["collection"],"limited":false,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[{"name":"collection","in":"query","field":"collection","type":"string"},{"name":"events","in":"query","field":"events","type":"array","items":"string"},{"name":"includeDocument","in":"query","field":"includeDocument","type":"boolean"},{"name":"follow","in":"query","field":"follow","type":"boolean"},{"name":"lastEventId","in":"query","field":"lastEventId","type":"string"},{"name":"Last-Event-ID","in":"header","field":"lastEventId","type":"string"}],"consumes":[],"produces":["text/event-stream"]},
  listAutomationRules: {"id":"listAutomationRules","method":"GET","path":"/v1/automation","area":"automation","summary":"List the automation rules","access":"admin","effect":"read","pages":"rules","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[{"name":"offset","in":"query","field":"offset","type":"integer"},{"name":"limit","in":"query","field":"limit","type":"integer"}],"consumes":[],"produces":["application/json"]},
  createAutomationRule: {"id":"createAutomationRule","method":"POST","path":"/v1/automation","area":"automation","summary":"Create an automation rule","access":"admin","effect":"write","limited":true,"sanitize":false,"maxBody":262144,"maxValues":10000,"maxItems":{"events":10},"status":201,"parameters":[],"consumes":["application/json"],"produces":["application/json"]},
  getAutomationRule: {"id":"getAutomationRule","method":"GET","path":"/v1/automation/{id}","area":"automation","summary":"Read an automation rule","access":"admin","effect":"read","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[{"name":"id","in":"path","field":"id","type":"string"}],"consumes":[],"produces":["application/json"]},
  updateAutomationRule: {"id":"updateAutomationRule","method":"PUT","path":"/v1/automation/{id}","area":"automation","summary":"Replace an automation rule","access":"admin","effect":"write","limited":true,"sanitize":false,"maxBody":262144,"maxValues":10000,"maxItems":{"events":10},"status":200,"parameters":[{"name":"id","in":"path","field":"id","type":"string"}],"consumes":["application/json"],"produces":["application/json"]},
  deleteAutomationRule: {"id":"deleteAutomationRule","method":"DELETE","path":"/v1/automation/{id}","area":"automation","summary":"Delete an automation rule","access":"admin","effect":"write","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[{"name":"id","in":"path","field":"id","type":"string"}],"consumes":[],"produces":["application/json"]},
  testAutomationRule: {"id":"testAutomationRule","method":"POST","path":"/v1/automation/{id}/test","area":"automation","summary":"Try an automation rule without firing it","access":"admin","effect":"read","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[{"name":"id","in":"path","field":"id","type":"string"}],"consumes":[],"produces":["application/json"]},
  listAutomationLogs: {"id":"listAutomationLogs","method":"GET","path":"/v1/automation-logs","area":"automation","summary":"List the deliveries of automation rules","access":"admin","effect":"read","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[{"name":"limit","in":"query","field":"limit","type":"integer"},{"name":"cursor","in":"query","field":"cursor","type":"string"},{"name":"ruleId","in":"query","field":"ruleId","type":"string"},{"name":"status","in":"query","field":"status","type":"string"}],"consumes":[],"produces":["application/json"]},
  queryTemporal: {"id":"queryTemporal","method":"POST","path":"/v1/temporal/query","area":"temporal","summary":"List what happened to a document","access":"read","effect":"read","collections":["collection"],"feature":"temporal","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[],"consumes":["application/json"],"produces":["application/json"]},
  listHotDocuments: {"id":"listHotDocuments","method":"POST","path":"/v1/temporal/hot","area":"temporal","summary":"List the documents that are read most","access":"read","effect":"read","collections":["collection"],"feature":"temporal","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[],"consumes":["application/json"],"produces":["application/json"]},
  getTemporalHistogram: {"id":"getTemporalHistogram","method":"POST","path":"/v1/temporal/histogram","area":"temporal","summary":"Count a collection's events over time","access":"read","effect":"read","collections":["collection"],"feature":"temporal","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[],"consumes":["application/json"],"produces":["application/json"]},
  suggestSpelling: {"id":"suggestSpelling","method":"POST","path":"/v1/spell-suggest","area":"spell","summary":"Suggest corrections of a text","access":"read","effect":"read","collections":["collection"],"local":true,"feature":"spell","limited":true,"sanitize":false,"maxBody":262144,"maxValues":10000,"status":200,"parameters":[],"consumes":["application/json"],"produces":["application/json"]},
  cleanSpelling: {"id":"cleanSpelling","method":"POST","path":"/v1/spell-cleanup","area":"spell","summary":"Correct a text","access":"read","effect":"read","collections":["collection"],"local":true,"feature":"spell","limited":true,"sanitize":false,"maxBody":4194304,"maxValues":10000,"status":200,"parameters":[],"consumes":["application/json"],"produces":["application/json"]},
  listDictionary: {"id":"listDictionary","method":"GET","path":"/v1/spell-dictionary","area":"spell","summary":"List the custom words","access":"user","effect":"read","collections":["collection"],"local":true,"feature":"spell","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[{"name":"lang","in":"query","field":"lang","type":"string"},{"name":"collection","in":"query","field":"collection","type":"string"}],"consumes":[],"produces":["application/json"]},
  addDictionaryWords: {"id":"addDictionaryWords","method":"PUT","path":"/v1/spell-dictionary","area":"spell","summary":"Add custom words","access":"write","effect":"write","collections":["collection"],"unread":{"added":0},"feature":"spell","limited":true,"sanitize":false,"maxBody":1048576,"maxValues":50000,"maxItems":{"words":10000},"status":200,"parameters":[],"consumes":["application/json"],"produces":["application/json"]},
  deleteDictionaryWords: {"id":"deleteDictionaryWords","method":"DELETE","path":"/v1/spell-dictionary","area":"spell","summary":"Delete custom words","access":"write","effect":"write","collections":["collection"],"unread":{"removed":0},"feature":"spell","limited":true,"sanitize":false,"maxBody":1048576,"maxValues":50000,"maxItems":{"words":10000},"status":200,"parameters":[],"consumes":["application/json"],"produces":["application/json"]},
  login: {"id":"login","method":"POST","path":"/v1/auth/login","area":"access","summary":"Sign in with name and password","access":"public","effect":"none","limited":true,"sanitize":false,"maxBody":16384,"maxValues":10000,"status":200,"parameters":[],"consumes":["application/json"],"produces":["application/json"]},
  refreshSession: {"id":"refreshSession","method":"POST","path":"/v1/auth/refresh","area":"access","summary":"Renew the token of a session","access":"user","effect":"none","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[],"consumes":[],"produces":["application/json"]},
  logout: {"id":"logout","method":"POST","path":"/v1/auth/logout","area":"access","summary":"Sign out","access":"user","effect":"write","passwordPending":true,"limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[],"consumes":["application/json"],"produces":["application/json"]},
  getSignInMethods: {"id":"getSignInMethods","method":"GET","path":"/v1/auth/methods","area":"access","summary":"Report how users sign in","access":"public","effect":"none","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[],"consumes":[],"produces":["application/json"]},
  startOidcSignIn: {"id":"startOidcSignIn","method":"POST","path":"/v1/auth/oidc/start","area":"access","summary":"Begin to sign in at the issuer","access":"public","effect":"none","limited":true,"sanitize":false,"maxBody":16384,"maxValues":10000,"status":200,"parameters":[],"consumes":[],"produces":["application/json"]},
  finishOidcSignIn: {"id":"finishOidcSignIn","method":"POST","path":"/v1/auth/oidc/finish","area":"access","summary":"Sign in with what the issuer has returned","access":"public","effect":"none","stores":true,"limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[],"consumes":["application/json"],"produces":["application/json"]},
  registerUser: {"id":"registerUser","method":"POST","path":"/v1/auth/register","area":"access","summary":"Create a user","access":"admin","effect":"write","limited":true,"sanitize":false,"maxBody":16384,"maxValues":10000,"status":200,"parameters":[],"consumes":["application/json"],"produces":["application/json"]},
  getCurrentUser: {"id":"getCurrentUser","method":"GET","path":"/v1/auth/me","area":"access","summary":"Report who is signed in","access":"user","effect":"read","passwordPending":true,"limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[],"consumes":[],"produces":["application/json"]},
  changePassword: {"id":"changePassword","method":"POST","path":"/v1/auth/password","area":"access","summary":"Change the caller's password","access":"user","effect":"write","passwordPending":true,"limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[],"consumes":["application/json"],"produces":["application/json"]},
  redeemPasswordReset: {"id":"redeemPasswordReset","method":"POST","path":"/v1/auth/password/redeem","area":"access","summary":"Set a new password with a one-time token","access":"public","effect":"write","limited":true,"sanitize":false,"maxBody":16384,"maxValues":10000,"status":200,"parameters":[],"consumes":["application/json"],"produces":["application/json"]},
  createApiKey: {"id":"createApiKey","method":"POST","path":"/v1/auth/api-key","area":"access","summary":"Create an API key for the caller","access":"user","effect":"write","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"maxItems":{"collections":100,"operations":200},"status":200,"parameters":[],"consumes":["application/json"],"produces":["application/json"]},
  listApiKeys: {"id":"listApiKeys","method":"GET","path":"/v1/auth/api-keys","area":"access","summary":"List API keys","access":"user","effect":"read","pages":"keys","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[{"name":"username","in":"query","field":"username","type":"string"},{"name":"offset","in":"query","field":"offset","type":"integer"},{"name":"limit","in":"query","field":"limit","type":"integer"}],"consumes":[],"produces":["application/json"]},
  deleteApiKey: {"id":"deleteApiKey","method":"DELETE","path":"/v1/auth/api-keys/{keyHash}","area":"access","summary":"Delete an API key","access":"user","effect":"write","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[{"name":"keyHash","in":"path","field":"keyHash","type":"string"}],"consumes":[],"produces":["application/json"]},
  revokeApiKey: {"id":"revokeApiKey","method":"POST","path":"/v1/auth/api-keys/{keyHash}/revoke","area":"access","summary":"Revoke an API key","access":"user","effect":"write","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[{"name":"keyHash","in":"path","field":"keyHash","type":"string"}],"consumes":[],"produces":["application/json"]},
  listUsers: {"id":"listUsers","method":"GET","path":"/v1/auth/users","area":"access","summary":"List all users","access":"admin","effect":"read","pages":"users","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[{"name":"offset","in":"query","field":"offset","type":"integer"},{"name":"limit","in":"query","field":"limit","type":"integer"}],"consumes":[],"produces":["application/json"]},
  deleteUser: {"id":"deleteUser","method":"DELETE","path":"/v1/auth/users/{username}","area":"access","summary":"Delete a user","access":"admin","effect":"write","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[{"name":"username","in":"path","field":"username","type":"string"}],"consumes":[],"produces":["application/json"]},
  updateUser: {"id":"updateUser","method":"PATCH","path":"/v1/auth/users/{username}","area":"access","summary":"Disable or enable a user, or make one an administrator","access":"admin","effect":"write","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[{"name":"username","in":"path","field":"username","type":"string"}],"consumes":["application/json"],"requiresBody":true,"produces":["application/json"]},
  createPasswordReset: {"id":"createPasswordReset","method":"POST","path":"/v1/auth/users/{username}/password-reset","area":"access","summary":"Make a one-time token to set a new password with","access":"admin","effect":"write","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[{"name":"username","in":"path","field":"username","type":"string"}],"consumes":["application/json"],"produces":["application/json"]},
  setUserRoles: {"id":"setUserRoles","method":"PUT","path":"/v1/auth/users/{username}/roles","area":"access","summary":"Set the roles of a user","access":"admin","effect":"write","limited":true,"sanitize":false,"maxBody":131072,"maxValues":10000,"maxItems":{"roles":1000},"status":200,"parameters":[{"name":"username","in":"path","field":"username","type":"string"}],"consumes":["application/json"],"produces":["application/json"]},
  explainAccess: {"id":"explainAccess","method":"GET","path":"/v1/auth/users/{username}/access","area":"access","summary":"Explain what a user may do, and why","access":"admin","effect":"read","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[{"name":"username","in":"path","field":"username","type":"string"},{"name":"operation","in":"query","field":"operation","type":"string"},{"name":"collection","in":"query","field":"collection","type":"string"}],"consumes":[],"produces":["application/json"]},
  listPermissions: {"id":"listPermissions","method":"GET","path":"/v1/auth/permissions","area":"access","summary":"List the permissions of a user","access":"admin","effect":"read","pages":"*","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[{"name":"username","in":"query","field":"username","type":"string"},{"name":"offset","in":"query","field":"offset","type":"integer"},{"name":"limit","in":"query","field":"limit","type":"integer"}],"consumes":[],"produces":["application/json"]},
  setPermission: {"id":"setPermission","method":"POST","path":"/v1/auth/permissions","area":"access","summary":"Set a user's permission on a collection","access":"admin","effect":"write","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[],"consumes":["application/json"],"produces":["application/json"]},
  listGroups: {"id":"listGroups","method":"GET","path":"/v1/auth/groups","area":"access","summary":"List all groups","access":"admin","effect":"read","pages":"groups","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[{"name":"offset","in":"query","field":"offset","type":"integer"},{"name":"limit","in":"query","field":"limit","type":"integer"}],"consumes":[],"produces":["application/json"]},
  createGroup: {"id":"createGroup","method":"POST","path":"/v1/auth/groups","area":"access","summary":"Create a group","access":"admin","effect":"write","limited":true,"sanitize":false,"maxBody":1048576,"maxValues":50000,"maxItems":{"members":10000},"status":201,"parameters":[],"consumes":["application/json"],"produces":["application/json"]},
  getGroup: {"id":"getGroup","method":"GET","path":"/v1/auth/groups/{name}","area":"access","summary":"Read a group","access":"admin","effect":"read","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[{"name":"name","in":"path","field":"name","type":"string"}],"consumes":[],"produces":["application/json"]},
  updateGroup: {"id":"updateGroup","method":"PUT","path":"/v1/auth/groups/{name}","area":"access","summary":"Replace a group's description and members","access":"admin","effect":"write","limited":true,"sanitize":false,"maxBody":1048576,"maxValues":50000,"maxItems":{"members":10000},"status":200,"parameters":[{"name":"name","in":"path","field":"name","type":"string"}],"consumes":["application/json"],"requiresBody":true,"produces":["application/json"]},
  deleteGroup: {"id":"deleteGroup","method":"DELETE","path":"/v1/auth/groups/{name}","area":"access","summary":"Delete a group","access":"admin","effect":"write","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[{"name":"name","in":"path","field":"name","type":"string"}],"consumes":[],"produces":["application/json"]},
  setGroupRoles: {"id":"setGroupRoles","method":"PUT","path":"/v1/auth/groups/{name}/roles","area":"access","summary":"Set the roles of a group","access":"admin","effect":"write","limited":true,"sanitize":false,"maxBody":131072,"maxValues":10000,"maxItems":{"roles":1000},"status":200,"parameters":[{"name":"name","in":"path","field":"name","type":"string"}],"consumes":["application/json"],"produces":["application/json"]},
  listRoles: {"id":"listRoles","method":"GET","path":"/v1/auth/roles","area":"access","summary":"List all roles","access":"admin","effect":"read","pages":"roles","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[{"name":"offset","in":"query","field":"offset","type":"integer"},{"name":"limit","in":"query","field":"limit","type":"integer"}],"consumes":[],"produces":["application/json"]},
  setRole: {"id":"setRole","method":"PUT","path":"/v1/auth/roles/{name}","area":"access","summary":"Create or replace a role","access":"admin","effect":"write","limited":true,"sanitize":false,"maxBody":262144,"maxValues":10000,"maxItems":{"permissions":1000},"status":200,"parameters":[{"name":"name","in":"path","field":"name","type":"string"}],"consumes":["application/json"],"requiresBody":true,"produces":["application/json"]},
  deleteRole: {"id":"deleteRole","method":"DELETE","path":"/v1/auth/roles/{name}","area":"access","summary":"Delete a role","access":"admin","effect":"write","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[{"name":"name","in":"path","field":"name","type":"string"}],"consumes":[],"produces":["application/json"]},
  listGroupPermissions: {"id":"listGroupPermissions","method":"GET","path":"/v1/auth/group-permissions","area":"access","summary":"List the permissions of a group","access":"admin","effect":"read","pages":"permissions","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[{"name":"group","in":"query","field":"group","type":"string"},{"name":"groupName","in":"query","field":"groupName","type":"string"},{"name":"offset","in":"query","field":"offset","type":"integer"},{"name":"limit","in":"query","field":"limit","type":"integer"}],"consumes":[],"produces":["application/json"]},
  setGroupPermission: {"id":"setGroupPermission","method":"POST","path":"/v1/auth/group-permissions","area":"access","summary":"Set a group's permission on a collection","access":"admin","effect":"write","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[],"consumes":["application/json"],"produces":["application/json"]},
  listMcpKeys: {"id":"listMcpKeys","method":"GET","path":"/v1/mcp/keys","area":"access","summary":"List the MCP keys","access":"admin","effect":"read","pages":"keys","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[{"name":"offset","in":"query","field":"offset","type":"integer"},{"name":"limit","in":"query","field":"limit","type":"integer"}],"consumes":[],"produces":["application/json"]},
  createMcpKey: {"id":"createMcpKey","method":"POST","path":"/v1/mcp/keys","area":"access","summary":"Create an MCP key","access":"admin","effect":"write","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[],"consumes":["application/json"],"produces":["application/json"]},
  deleteMcpKey: {"id":"deleteMcpKey","method":"DELETE","path":"/v1/mcp/keys","area":"access","summary":"Delete an MCP key","access":"admin","effect":"write","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[],"consumes":["application/json"],"produces":["application/json"]},
  disableMcpKey: {"id":"disableMcpKey","method":"POST","path":"/v1/mcp/keys/disable","area":"access","summary":"Disable an MCP key","access":"admin","effect":"write","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[],"consumes":["application/json"],"produces":["application/json"]},
  listAuditEvents: {"id":"listAuditEvents","method":"GET","path":"/v1/audit","area":"audit","summary":"Search the audit log","access":"admin","effect":"read","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[{"name":"from","in":"query","field":"from","type":"string"},{"name":"to","in":"query","field":"to","type":"string"},{"name":"fromNanos","in":"query","field":"fromNanos","type":"integer"},{"name":"toNanos","in":"query","field":"toNanos","type":"integer"},{"name":"actor","in":"query","field":"actor","type":"string"},{"name":"action","in":"query","field":"action","type":"string"},{"name":"result","in":"query","field":"result","type":"string"},{"name":"collection","in":"query","field":"collection","type":"string"},{"name":"key","in":"query","field":"key","type":"string"},{"name":"limit","in":"query","field":"limit","type":"integer"}],"consumes":[],"produces":["application/json"]},
  listAuditExporters: {"id":"listAuditExporters","method":"GET","path":"/v1/audit/exporters","area":"audit","summary":"Report on the export of the audit log","access":"admin","effect":"read","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[],"consumes":[],"produces":["application/json"]},
  getEncryptionStatus: {"id":"getEncryptionStatus","method":"GET","path":"/v1/encryption/status","area":"encryption","summary":"Report what is encrypted, and with which key","access":"admin","effect":"read","limited":false,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[],"consumes":[],"produces":["application/json"]},
  rotateEncryption: {"id":"rotateEncryption","method":"POST","path":"/v1/encryption/rotate","area":"encryption","summary":"Re-seal entries with the current primary key","access":"admin","effect":"write","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[],"consumes":["application/json"],"produces":["application/json"]},
  listEncryptionJobs: {"id":"listEncryptionJobs","method":"GET","path":"/v1/encryption/jobs","area":"encryption","summary":"List the rotation jobs","access":"admin","effect":"read","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[],"consumes":[],"produces":["application/json"]},
  getEncryptionJob: {"id":"getEncryptionJob","method":"GET","path":"/v1/encryption/jobs/{id}","area":"encryption","summary":"Read one rotation job","access":"admin","effect":"read","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[{"name":"id","in":"path","field":"id","type":"string"}],"consumes":[],"produces":["application/json"]},
  getReplicationStatus: {"id":"getReplicationStatus","method":"GET","path":"/v1/replication/status","area":"replication","summary":"Report the state of replication","access":"admin","effect":"read","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[],"consumes":[],"produces":["application/json"]},
  listNodes: {"id":"listNodes","method":"GET","path":"/v1/nodes","area":"cluster","summary":"List the nodes and what they hold","access":"admin","effect":"read","tables":true,"limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[{"name":"collection","in":"query","field":"collection","type":"string"}],"consumes":[],"produces":["application/json"]},
  drainNode: {"id":"drainNode","method":"POST","path":"/v1/nodes/{name}/drain","area":"cluster","summary":"Have a node give up what it holds","access":"admin","effect":"write","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[{"name":"name","in":"path","field":"name","type":"string"}],"consumes":[],"produces":["application/json"]},
  undrainNode: {"id":"undrainNode","method":"POST","path":"/v1/nodes/{name}/undrain","area":"cluster","summary":"Have a node hold its share again","access":"admin","effect":"write","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[{"name":"name","in":"path","field":"name","type":"string"}],"consumes":[],"produces":["application/json"]},
};
