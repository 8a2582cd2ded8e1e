/** Protocols besides HTTP in which an operation has a name. */
export type Protocol = 'grpc' | 'graphql' | 'mcp';

/** Names that do not follow from the `operationId`, and why. */
interface Given {
  readonly reason: string;
  readonly names: Readonly<Partial<Record<Protocol, readonly string[]>>>;
}

const words = (text: string): readonly string[] => text.trim().split(/\s+/);

export const GIVEN: readonly Given[] = [{
  reason: 'the contract gives this name',
  names: {
    grpc: words(`
        Health Stats SystemInfo ComplianceStatus Add AddBatch AddBatchStream Get Search Update SetTTL Delete DeleteBatch MetaKeys Checksum Truncate Ingest
        Upload Export Backup Restore Validate FTS FTSReindex FTSLanguages AddSynonym Aggregate ListCuration UpdateCuration CreateCuration DeleteCuration
        VectorSearch VectorReindex VectorStats VectorProjection Classify CrossSearch HybridSearch GeoSearch GeoWithin GeoPolygon GeoReindex GeoStats
        GeoEncode GeoDecode CodeGraph Recall Summarize SessionHistory RegisterWebhook ListAutomation CreateAutomation GetAutomation UpdateAutomation
        DeleteAutomation TestAutomation TemporalQuery TemporalHot TemporalHistogram SpellSuggest SpellCleanup AddDictionary DeleteDictionary Register Me
        ListAudit EncryptionStatus ReplicationStatus`),
    graphql: words(
      'addBatch search setTTL fts vectorSearch vectorReindex codeGraph registerWebhook register me userPermissions',
    ),
    mcp: words(`
        add_documents_batch set_ttl delete_documents_batch get_meta_keys bulk_ingest_submit bulk_ingest_status bulk_ingest_cancel bulk_ingest_list
        upload_file full_text_search fts_reindex fts_languages add_synonym aggregate semantic_search vector_reindex vector_stats vector_projection
        cross_search hybrid_search geo_search geo_within geo_polygon geo_reindex geo_stats geo_encode geo_decode code_graph memory_start_session
        memory_add_message memory_recall memory_summarize memory_list_sessions memory_session_history register_webhook list_automation create_automation
        get_automation update_automation delete_automation test_automation get_automation_logs temporal_query temporal_hot temporal_histogram
        spell_suggest spell_cleanup replication_status`),
  },
}, {
  reason: 'like the names of the other searches, which the contract gives',
  names: {
    grpc: ['Similar'],
    graphql: ['similar', 'hybridSearch', 'crossSearch', 'recall'],
    mcp: ['similar_documents'],
  },
}, {
  reason: 'like the names of the other tools for memory, which the contract gives',
  names: { mcp: ['memory_delete_session'] },
}];

/** Commands of the document service that are written by hand, by the operation that they are mostly about. */
export const COMMANDS_OF_DOCS: Readonly<Record<string, readonly string[]>> = {
  searchFullText: ['search'],
  searchDocuments: ['list'],
  getDocument: ['get'],
  addDocument: ['add'],
  updateDocument: ['edit'],
  deleteDocument: ['delete'],
  importDocuments: ['import'],
  importWiki: ['import-wiki'],
  exportDocuments: ['export'],
  login: ['login'],
  logout: ['logout'],
};

/** Commands of the run queue. */
export const COMMANDS_OF_RUNS: Readonly<Record<string, readonly string[]>> = {
  enqueueRun: ['runs submit'],
  listRuns: ['runs list'],
  getRun: ['runs show'],
  cancelRun: ['runs cancel'],
  retryRun: ['runs retry'],
  rerunRun: ['runs rerun'],
  approveRun: ['runs approve'],
  rejectRun: ['runs reject'],
  getRunSummary: ['runs show'],
  listRunStatuses: ['runs show'],
  getRunResult: ['runs result'],
  listRunAttempts: ['runs show'],
  listRunLogs: ['runs logs'],
  streamRunLogs: ['runs logs'],
  listRunArtifacts: ['runs artifacts'],
  getRunArtifact: ['runs artifacts'],
  listRunTests: ['runs tests'],
  listProjectTests: ['runs tests'],
  listTestHistory: ['runs tests'],
  searchLogs: ['runs logs search'],
  listCaches: ['runs caches list'],
  deleteCaches: ['runs caches delete'],
  listProjects: ['runs projects'],
  replaceProject: ['runs projects enable', 'runs projects disable'],
  deleteProject: ['runs projects delete'],
  listPipelines: ['runs submit'],
  listShips: ['runs ships'],
  createJoinToken: ['runs token ship'],
  drainShip: ['runs drain'],
  undrainShip: ['runs undrain'],
  revokeShip: ['runs revoke'],
  listSchedules: ['runs schedules list'],
  pauseSchedule: ['runs schedules pause'],
  resumeSchedule: ['runs schedules resume'],
  runSchedule: ['runs schedules run'],
  listForges: ['runs forges'],
  listNotifications: ['runs notifications'],
  listNotificationDeadLetters: ['runs notifications dead'],
  redeliverNotifications: ['runs notifications redeliver'],
  listForgeDeliveries: ['runs deliveries list'],
  getForgeDelivery: ['runs deliveries show'],
  redeliverForgeEvent: ['runs deliveries redeliver'],
  listAudit: ['runs audit'],
};
