// Generated from the specifications by `npm run generate`. Do not edit.

import type { Download, FlatInput, Operation, OperationSpec } from '../../src/operations/index.ts';
import type {
  ListRunsData,
  ListRunsResponses,
  EnqueueRunData,
  EnqueueRunResponses,
  GetRunData,
  GetRunResponses,
  CancelRunData,
  CancelRunResponses,
  RetryRunData,
  RetryRunResponses,
  RerunRunData,
  RerunRunResponses,
  ApproveRunData,
  ApproveRunResponses,
  RejectRunData,
  RejectRunResponses,
  GetRunResultData,
  GetRunResultResponses,
  ListRunJobsData,
  ListRunJobsResponses,
  GetRunSummaryData,
  GetRunSummaryResponses,
  ListRunAttemptsData,
  ListRunAttemptsResponses,
  ListRunArtifactsData,
  ListRunArtifactsResponses,
  GetRunArtifactData,
  ListRunTestsData,
  ListRunTestsResponses,
  ListRunLogsData,
  ListRunLogsResponses,
  DeleteRunLogsData,
  StreamRunLogsData,
  SearchLogsData,
  SearchLogsResponses,
  ListProjectsData,
  ListProjectsResponses,
  CreateProjectData,
  CreateProjectResponses,
  ReplaceProjectData,
  ReplaceProjectResponses,
  DeleteProjectData,
  ListCachesData,
  ListCachesResponses,
  DeleteCachesData,
  DeleteCachesResponses,
  ListProjectTestsData,
  ListProjectTestsResponses,
  ListTestHistoryData,
  ListTestHistoryResponses,
  GetBadgeData,
  ListPipelinesData,
  ListPipelinesResponses,
  ListRolesData,
  ListRolesResponses,
  ListShipsData,
  ListShipsResponses,
  CreateJoinTokenData,
  CreateJoinTokenResponses,
  DeleteShipData,
  RevokeShipData,
  RevokeShipResponses,
  DrainShipData,
  DrainShipResponses,
  UndrainShipData,
  UndrainShipResponses,
  ListSchedulesData,
  ListSchedulesResponses,
  PauseScheduleData,
  PauseScheduleResponses,
  ResumeScheduleData,
  ResumeScheduleResponses,
  RunScheduleData,
  RunScheduleResponses,
  ListForgesData,
  ListForgesResponses,
  GetProjectForgeData,
  GetProjectForgeResponses,
  ListRunStatusesData,
  ListRunStatusesResponses,
  ListNotificationsData,
  ListNotificationsResponses,
  ListNotificationDeadLettersData,
  ListNotificationDeadLettersResponses,
  RedeliverNotificationsData,
  RedeliverNotificationsResponses,
  ReceiveAlertsData,
  ReceiveAlertsResponses,
  ListForgeDeliveriesData,
  ListForgeDeliveriesResponses,
  GetForgeDeliveryData,
  GetForgeDeliveryResponses,
  RedeliverForgeEventData,
  RedeliverForgeEventResponses,
  ReceiveForgeEventData,
  ReceiveForgeEventResponses,
  ListAuditData,
  ListAuditResponses,
  GetSignInMethodsData,
  GetSignInMethodsResponses,
  StartOidcSignInData,
  StartOidcSignInResponses,
  FinishOidcSignInData,
  FinishOidcSignInResponses,
  GetCurrentUserData,
  GetCurrentUserResponses,
  LogoutData,
  LogoutResponses,
  GetIdTokenConfigurationData,
  GetIdTokenConfigurationResponses,
  GetIdTokenKeysData,
  GetIdTokenKeysResponses,
  GetLivenessData,
  GetLivenessResponses,
  GetReadinessData,
  GetReadinessResponses,
  GetMetricsData,
} from './sdk/types.gen.ts';

/** Input and output of each operation of the run-queue service. */
export interface Operations {
  listRuns: Operation<FlatInput<NonNullable<ListRunsData['query']>, 'limit' | 'cells'>, ListRunsResponses[200]>;
  enqueueRun: Operation<FlatInput<NonNullable<EnqueueRunData['body']> & { idempotencyKey: string }, 'task'>, EnqueueRunResponses[202]>;
  getRun: Operation<FlatInput<NonNullable<GetRunData['path']>>, GetRunResponses[200]>;
  cancelRun: Operation<FlatInput<NonNullable<CancelRunData['path']>>, CancelRunResponses[200]>;
  retryRun: Operation<FlatInput<NonNullable<RetryRunData['path']> & NonNullable<RetryRunData['query']> & { idempotencyKey: string }, 'cells'>, RetryRunResponses[202]>;
  rerunRun: Operation<FlatInput<NonNullable<RerunRunData['path']> & NonNullable<RerunRunData['query']> & { idempotencyKey: string }, 'commit'>, RerunRunResponses[202]>;
  approveRun: Operation<FlatInput<NonNullable<ApproveRunData['path']>>, ApproveRunResponses[200]>;
  rejectRun: Operation<FlatInput<NonNullable<RejectRunData['path']>>, RejectRunResponses[200]>;
  getRunResult: Operation<FlatInput<NonNullable<GetRunResultData['path']>>, GetRunResultResponses[200]>;
  listRunJobs: Operation<FlatInput<NonNullable<ListRunJobsData['path']>>, ListRunJobsResponses[200]>;
  getRunSummary: Operation<FlatInput<NonNullable<GetRunSummaryData['path']>>, GetRunSummaryResponses[200]>;
  listRunAttempts: Operation<FlatInput<NonNullable<ListRunAttemptsData['path']>>, ListRunAttemptsResponses[200]>;
  listRunArtifacts: Operation<FlatInput<NonNullable<ListRunArtifactsData['path']> & NonNullable<ListRunArtifactsData['query']>>, ListRunArtifactsResponses[200]>;
  getRunArtifact: Operation<FlatInput<NonNullable<GetRunArtifactData['path']> & NonNullable<GetRunArtifactData['query']> & { range?: string }>, Download>;
  listRunTests: Operation<FlatInput<NonNullable<ListRunTestsData['path']> & NonNullable<ListRunTestsData['query']>, 'q' | 'limit'>, ListRunTestsResponses[200]>;
  listRunLogs: Operation<FlatInput<NonNullable<ListRunLogsData['path']> & NonNullable<ListRunLogsData['query']>, 'offset'>, ListRunLogsResponses[200]>;
  deleteRunLogs: Operation<FlatInput<NonNullable<DeleteRunLogsData['path']>>, void>;
  streamRunLogs: Operation<FlatInput<NonNullable<StreamRunLogsData['path']> & NonNullable<StreamRunLogsData['query']> & { lastEventId?: string }, 'offset'>, Download>;
  searchLogs: Operation<FlatInput<NonNullable<SearchLogsData['query']>, 'limit'>, SearchLogsResponses[200]>;
  listProjects: Operation<Record<never, never>, ListProjectsResponses[200]>;
  createProject: Operation<FlatInput<NonNullable<CreateProjectData['body']>, 'enabled' | 'issue_label' | 'release_interval' | 'runs_on' | 'max_parallel' | 'priority' | 'content' | 'forge' | 'poll' | 'pipelines_from' | 'repository_pipelines' | 'forks' | 'statuses' | 'issue' | 'release'>, CreateProjectResponses[201]>;
  replaceProject: Operation<FlatInput<NonNullable<ReplaceProjectData['body']> & NonNullable<ReplaceProjectData['path']>, 'enabled' | 'issue_label' | 'release_interval' | 'runs_on' | 'max_parallel' | 'priority' | 'content' | 'forge' | 'poll' | 'pipelines_from' | 'repository_pipelines' | 'forks' | 'statuses' | 'issue' | 'release'>, ReplaceProjectResponses[200]>;
  deleteProject: Operation<FlatInput<NonNullable<DeleteProjectData['path']>>, void>;
  listCaches: Operation<FlatInput<NonNullable<ListCachesData['path']> & NonNullable<ListCachesData['query']>, 'prefix' | 'limit'>, ListCachesResponses[200]>;
  deleteCaches: Operation<FlatInput<NonNullable<DeleteCachesData['path']> & NonNullable<DeleteCachesData['query']>>, DeleteCachesResponses[200]>;
  listProjectTests: Operation<FlatInput<NonNullable<ListProjectTestsData['path']> & NonNullable<ListProjectTestsData['query']>, 'flaky' | 'sort' | 'q' | 'limit'>, ListProjectTestsResponses[200]>;
  listTestHistory: Operation<FlatInput<NonNullable<ListTestHistoryData['path']> & NonNullable<ListTestHistoryData['query']>, 'limit'>, ListTestHistoryResponses[200]>;
  getBadge: Operation<FlatInput<NonNullable<GetBadgeData['path']> & NonNullable<GetBadgeData['query']> & { ifNoneMatch?: string }, 'pipeline' | 'ref'>, Download>;
  listPipelines: Operation<Record<never, never>, ListPipelinesResponses[200]>;
  listRoles: Operation<Record<never, never>, ListRolesResponses[200]>;
  listShips: Operation<Record<never, never>, ListShipsResponses[200]>;
  createJoinToken: Operation<FlatInput<NonNullable<CreateJoinTokenData['body']>, 'labels'>, CreateJoinTokenResponses[201]>;
  deleteShip: Operation<FlatInput<NonNullable<DeleteShipData['path']>>, void>;
  revokeShip: Operation<FlatInput<NonNullable<RevokeShipData['path']>>, RevokeShipResponses[200]>;
  drainShip: Operation<FlatInput<NonNullable<DrainShipData['path']>>, DrainShipResponses[200]>;
  undrainShip: Operation<FlatInput<NonNullable<UndrainShipData['path']>>, UndrainShipResponses[200]>;
  listSchedules: Operation<Record<never, never>, ListSchedulesResponses[200]>;
  pauseSchedule: Operation<FlatInput<NonNullable<PauseScheduleData['path']>>, PauseScheduleResponses[200]>;
  resumeSchedule: Operation<FlatInput<NonNullable<ResumeScheduleData['path']>>, ResumeScheduleResponses[200]>;
  runSchedule: Operation<FlatInput<NonNullable<RunScheduleData['path']> & { idempotencyKey: string }>, RunScheduleResponses[202]>;
  listForges: Operation<Record<never, never>, ListForgesResponses[200]>;
  getProjectForge: Operation<FlatInput<NonNullable<GetProjectForgeData['path']>>, GetProjectForgeResponses[200]>;
  listRunStatuses: Operation<FlatInput<NonNullable<ListRunStatusesData['path']>>, ListRunStatusesResponses[200]>;
  listNotifications: Operation<Record<never, never>, ListNotificationsResponses[200]>;
  listNotificationDeadLetters: Operation<FlatInput<NonNullable<ListNotificationDeadLettersData['query']>, 'limit'>, ListNotificationDeadLettersResponses[200]>;
  redeliverNotifications: Operation<FlatInput<NonNullable<RedeliverNotificationsData['body']> & NonNullable<RedeliverNotificationsData['path']>>, RedeliverNotificationsResponses[202]>;
  receiveAlerts: Operation<FlatInput<NonNullable<ReceiveAlertsData['body']>, 'commonLabels'>, ReceiveAlertsResponses[200]>;
  listForgeDeliveries: Operation<FlatInput<NonNullable<ListForgeDeliveriesData['query']>, 'limit'>, ListForgeDeliveriesResponses[200]>;
  getForgeDelivery: Operation<FlatInput<NonNullable<GetForgeDeliveryData['path']>>, GetForgeDeliveryResponses[200]>;
  redeliverForgeEvent: Operation<FlatInput<NonNullable<RedeliverForgeEventData['path']>>, RedeliverForgeEventResponses[202]>;
  receiveForgeEvent: Operation<FlatInput<NonNullable<ReceiveForgeEventData['path']> & NonNullable<ReceiveForgeEventData['query']>>, ReceiveForgeEventResponses[202]>;
  listAudit: Operation<FlatInput<NonNullable<ListAuditData['query']>, 'limit'>, ListAuditResponses[200]>;
  getSignInMethods: Operation<Record<never, never>, GetSignInMethodsResponses[200]>;
  startOidcSignIn: Operation<Record<never, never>, StartOidcSignInResponses[200]>;
  finishOidcSignIn: Operation<FlatInput<NonNullable<FinishOidcSignInData['body']>>, FinishOidcSignInResponses[200]>;
  getCurrentUser: Operation<Record<never, never>, GetCurrentUserResponses[200]>;
  logout: Operation<Record<never, never>, LogoutResponses[200]>;
  getIdTokenConfiguration: Operation<Record<never, never>, GetIdTokenConfigurationResponses[200]>;
  getIdTokenKeys: Operation<Record<never, never>, GetIdTokenKeysResponses[200]>;
  getLiveness: Operation<Record<never, never>, GetLivenessResponses[200]>;
  getReadiness: Operation<Record<never, never>, GetReadinessResponses[200]>;
  getMetrics: Operation<Record<never, never>, Download>;
}

export type OperationId = keyof Operations;

/** Route, access and media types of each operation. */
export const operations: { readonly [K in OperationId]: OperationSpec } = {
  listRuns: {"id":"listRuns","method":"GET","path":"/api/v1/runs","area":"runs","summary":"List runs","access":"read","effect":"read","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[{"name":"limit","in":"query","field":"limit","type":"integer"},{"name":"before","in":"query","field":"before","type":"string"},{"name":"project_id","in":"query","field":"project_id","type":"string"},{"name":"state","in":"query","field":"state","type":"string"},{"name":"kind","in":"query","field":"kind","type":"string"},{"name":"source","in":"query","field":"source","type":"string"},{"name":"schedule","in":"query","field":"schedule","type":"string"},{"name":"by","in":"query","field":"by","type":"string"},{"name":"parent_id","in":"query","field":"parent_id","type":"string"},{"name":"cells","in":"query","field":"cells","type":"boolean"}],"consumes":[],"produces":["application/json"]},
  enqueueRun: {"id":"enqueueRun","method":"POST","path":"/api/v1/runs","area":"runs","summary":"Queue a run","access":"write","effect":"write","scope":"submit","limited":true,"sanitize":false,"maxBody":1048576,"maxValues":50000,"status":202,"parameters":[{"name":"Idempotency-Key","in":"header","field":"idempotencyKey","type":"string"}],"consumes":["application/json"],"produces":["application/json"]},
  getRun: {"id":"getRun","method":"GET","path":"/api/v1/runs/{id}","area":"runs","summary":"Get a run","access":"read","effect":"read","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[{"name":"id","in":"path","field":"id","type":"string"}],"consumes":[],"produces":["application/json"]},
  cancelRun: {"id":"cancelRun","method":"POST","path":"/api/v1/runs/{id}/cancel","area":"runs","summary":"Cancel a run","access":"write","effect":"write","scope":"submit","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[{"name":"id","in":"path","field":"id","type":"string"}],"consumes":[],"produces":["application/json"]},
  retryRun: {"id":"retryRun","method":"POST","path":"/api/v1/runs/{id}/retry","area":"runs","summary":"Retry a run","access":"write","effect":"write","scope":"submit","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":202,"parameters":[{"name":"id","in":"path","field":"id","type":"string"},{"name":"Idempotency-Key","in":"header","field":"idempotencyKey","type":"string"},{"name":"cells","in":"query","field":"cells","type":"string"}],"consumes":[],"produces":["application/json"]},
  rerunRun: {"id":"rerunRun","method":"POST","path":"/api/v1/runs/{id}/rerun","area":"runs","summary":"Run again","access":"write","effect":"write","scope":"submit","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":202,"parameters":[{"name":"id","in":"path","field":"id","type":"string"},{"name":"Idempotency-Key","in":"header","field":"idempotencyKey","type":"string"},{"name":"commit","in":"query","field":"commit","type":"string"}],"consumes":[],"produces":["application/json"]},
  approveRun: {"id":"approveRun","method":"POST","path":"/api/v1/runs/{id}/approve","area":"runs","summary":"Approve a run","access":"write","effect":"write","scope":"approve","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[{"name":"id","in":"path","field":"id","type":"string"}],"consumes":[],"produces":["application/json"]},
  rejectRun: {"id":"rejectRun","method":"POST","path":"/api/v1/runs/{id}/reject","area":"runs","summary":"Reject a run","access":"write","effect":"write","scope":"approve","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[{"name":"id","in":"path","field":"id","type":"string"}],"consumes":[],"produces":["application/json"]},
  getRunResult: {"id":"getRunResult","method":"GET","path":"/api/v1/runs/{id}/result","area":"runs","summary":"Get the result of a run","access":"read","effect":"read","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[{"name":"id","in":"path","field":"id","type":"string"}],"consumes":[],"produces":["application/json"]},
  listRunJobs: {"id":"listRunJobs","method":"GET","path":"/api/v1/runs/{id}/jobs","area":"runs","summary":"List the jobs of a run","access":"read","effect":"read","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[{"name":"id","in":"path","field":"id","type":"string"}],"consumes":[],"produces":["application/json"]},
  getRunSummary: {"id":"getRunSummary","method":"GET","path":"/api/v1/runs/{id}/summary","area":"runs","summary":"Get the summary of a run","access":"read","effect":"read","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[{"name":"id","in":"path","field":"id","type":"string"}],"consumes":[],"produces":["application/json"]},
  listRunAttempts: {"id":"listRunAttempts","method":"GET","path":"/api/v1/runs/{id}/attempts","area":"runs","summary":"List the attempts of a run","access":"read","effect":"read","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[{"name":"id","in":"path","field":"id","type":"string"}],"consumes":[],"produces":["application/json"]},
  listRunArtifacts: {"id":"listRunArtifacts","method":"GET","path":"/api/v1/runs/{id}/artifacts","area":"artifacts","summary":"List the artefacts of a run","access":"read","effect":"read","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[{"name":"id","in":"path","field":"id","type":"string"},{"name":"attempt","in":"query","field":"attempt","type":"integer"}],"consumes":[],"produces":["application/json"]},
  getRunArtifact: {"id":"getRunArtifact","method":"GET","path":"/api/v1/runs/{id}/artifacts/{name}","area":"artifacts","summary":"Download an artefact","access":"read","effect":"read","limited":false,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"otherStatuses":[206],"parameters":[{"name":"id","in":"path","field":"id","type":"string"},{"name":"name","in":"path","field":"name","type":"string"},{"name":"attempt","in":"query","field":"attempt","type":"integer"},{"name":"Range","in":"header","field":"range","type":"string"}],"consumes":[],"produces":["application/octet-stream"]},
  listRunTests: {"id":"listRunTests","method":"GET","path":"/api/v1/runs/{id}/tests","area":"reports","summary":"List the test results of a run","access":"read","effect":"read","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[{"name":"id","in":"path","field":"id","type":"string"},{"name":"attempt","in":"query","field":"attempt","type":"integer"},{"name":"state","in":"query","field":"state","type":"string"},{"name":"q","in":"query","field":"q","type":"string"},{"name":"limit","in":"query","field":"limit","type":"integer"},{"name":"before","in":"query","field":"before","type":"string"}],"consumes":[],"produces":["application/json"]},
  listRunLogs: {"id":"listRunLogs","method":"GET","path":"/api/v1/runs/{id}/logs","area":"logs","summary":"List log events of a run","access":"read","effect":"read","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[{"name":"id","in":"path","field":"id","type":"string"},{"name":"offset","in":"query","field":"offset","type":"integer"},{"name":"attempt","in":"query","field":"attempt","type":"integer"}],"consumes":[],"produces":["application/json"]},
  deleteRunLogs: {"id":"deleteRunLogs","method":"DELETE","path":"/api/v1/runs/{id}/logs","area":"logs","summary":"Delete the logs of a run","access":"write","effect":"write","projectAdmin":true,"limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":204,"parameters":[{"name":"id","in":"path","field":"id","type":"string"}],"consumes":[],"produces":[]},
  streamRunLogs: {"id":"streamRunLogs","method":"GET","path":"/api/v1/runs/{id}/logs/stream","area":"logs","summary":"Follow the log of a run","access":"read","effect":"read","limited":false,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[{"name":"id","in":"path","field":"id","type":"string"},{"name":"offset","in":"query","field":"offset","type":"integer"},{"name":"attempt","in":"query","field":"attempt","type":"integer"},{"name":"Last-Event-ID","in":"header","field":"lastEventId","type":"string"}],"consumes":[],"produces":["text/event-stream"]},
  searchLogs: {"id":"searchLogs","method":"GET","path":"/api/v1/logs/search","area":"logs","summary":"Search the logs of runs","access":"read","effect":"read","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[{"name":"q","in":"query","field":"q","type":"string"},{"name":"project_id","in":"query","field":"project_id","type":"string"},{"name":"state","in":"query","field":"state","type":"string"},{"name":"since","in":"query","field":"since","type":"integer"},{"name":"until","in":"query","field":"until","type":"integer"},{"name":"limit","in":"query","field":"limit","type":"integer"},{"name":"before","in":"query","field":"before","type":"string"}],"consumes":[],"produces":["application/json"]},
  listProjects: {"id":"listProjects","method":"GET","path":"/api/v1/projects","area":"projects","summary":"List the configured projects","access":"read","effect":"read","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[],"consumes":[],"produces":["application/json"]},
  createProject: {"id":"createProject","method":"POST","path":"/api/v1/projects","area":"projects","summary":"Add a project","access":"write","effect":"write","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"maxItems":{"runs_on":16},"status":201,"parameters":[],"consumes":["application/json"],"produces":["application/json"],"error":"invalid_project"},
  replaceProject: {"id":"replaceProject","method":"PUT","path":"/api/v1/projects/{id}","area":"projects","summary":"Change a project","access":"write","effect":"write","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"maxItems":{"runs_on":16},"status":200,"parameters":[{"name":"id","in":"path","field":"id","type":"string"}],"consumes":["application/json"],"produces":["application/json"],"error":"invalid_project"},
  deleteProject: {"id":"deleteProject","method":"DELETE","path":"/api/v1/projects/{id}","area":"projects","summary":"Delete a project","access":"write","effect":"write","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":204,"parameters":[{"name":"id","in":"path","field":"id","type":"string"}],"consumes":[],"produces":[]},
  listCaches: {"id":"listCaches","method":"GET","path":"/api/v1/projects/{id}/caches","area":"caches","summary":"List the caches of a project","access":"read","effect":"read","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[{"name":"id","in":"path","field":"id","type":"string"},{"name":"prefix","in":"query","field":"prefix","type":"string"},{"name":"limit","in":"query","field":"limit","type":"integer"},{"name":"before","in":"query","field":"before","type":"string"}],"consumes":[],"produces":["application/json"]},
  deleteCaches: {"id":"deleteCaches","method":"DELETE","path":"/api/v1/projects/{id}/caches","area":"caches","summary":"Delete caches of a project","access":"write","effect":"write","projectAdmin":true,"limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[{"name":"id","in":"path","field":"id","type":"string"},{"name":"key","in":"query","field":"key","type":"string"},{"name":"prefix","in":"query","field":"prefix","type":"string"}],"consumes":[],"produces":["application/json"]},
  listProjectTests: {"id":"listProjectTests","method":"GET","path":"/api/v1/projects/{id}/tests","area":"reports","summary":"List the tests of a project","access":"read","effect":"read","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[{"name":"id","in":"path","field":"id","type":"string"},{"name":"flaky","in":"query","field":"flaky","type":"boolean"},{"name":"state","in":"query","field":"state","type":"string"},{"name":"sort","in":"query","field":"sort","type":"string"},{"name":"q","in":"query","field":"q","type":"string"},{"name":"limit","in":"query","field":"limit","type":"integer"},{"name":"before","in":"query","field":"before","type":"string"}],"consumes":[],"produces":["application/json"]},
  listTestHistory: {"id":"listTestHistory","method":"GET","path":"/api/v1/projects/{id}/tests/history","area":"reports","summary":"List the results of one test","access":"read","effect":"read","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[{"name":"id","in":"path","field":"id","type":"string"},{"name":"test","in":"query","field":"test","type":"string"},{"name":"limit","in":"query","field":"limit","type":"integer"},{"name":"before","in":"query","field":"before","type":"string"}],"consumes":[],"produces":["application/json"]},
  getBadge: {"id":"getBadge","method":"GET","path":"/api/v1/projects/{id}/badge.svg","area":"projects","summary":"Get a badge of a project","access":"read","effect":"read","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[{"name":"id","in":"path","field":"id","type":"string"},{"name":"pipeline","in":"query","field":"pipeline","type":"string"},{"name":"ref","in":"query","field":"ref","type":"string"},{"name":"If-None-Match","in":"header","field":"ifNoneMatch","type":"string"}],"consumes":[],"produces":["image/svg+xml"]},
  listPipelines: {"id":"listPipelines","method":"GET","path":"/api/v1/pipelines","area":"projects","summary":"List the configured pipelines","access":"read","effect":"read","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[],"consumes":[],"produces":["application/json"]},
  listRoles: {"id":"listRoles","method":"GET","path":"/api/v1/roles","area":"projects","summary":"List the configured AI roles","access":"read","effect":"read","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[],"consumes":[],"produces":["application/json"]},
  listShips: {"id":"listShips","method":"GET","path":"/api/v1/ships","area":"ships","summary":"List ships","access":"read","effect":"read","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[],"consumes":[],"produces":["application/json"]},
  createJoinToken: {"id":"createJoinToken","method":"POST","path":"/api/v1/ships/tokens","area":"ships","summary":"Create a join token","access":"write","effect":"write","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"maxItems":{"labels":32},"status":201,"parameters":[],"consumes":["application/json"],"produces":["application/json"]},
  deleteShip: {"id":"deleteShip","method":"DELETE","path":"/api/v1/ships/{id}","area":"ships","summary":"Remove a revoked ship","access":"write","effect":"write","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":204,"parameters":[{"name":"id","in":"path","field":"id","type":"string"}],"consumes":[],"produces":[]},
  revokeShip: {"id":"revokeShip","method":"POST","path":"/api/v1/ships/{id}/revoke","area":"ships","summary":"Revoke a ship","access":"write","effect":"write","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[{"name":"id","in":"path","field":"id","type":"string"}],"consumes":[],"produces":["application/json"]},
  drainShip: {"id":"drainShip","method":"POST","path":"/api/v1/ships/{id}/drain","area":"ships","summary":"Drain a ship","access":"write","effect":"write","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[{"name":"id","in":"path","field":"id","type":"string"}],"consumes":[],"produces":["application/json"]},
  undrainShip: {"id":"undrainShip","method":"POST","path":"/api/v1/ships/{id}/undrain","area":"ships","summary":"Let a drained ship work again","access":"write","effect":"write","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[{"name":"id","in":"path","field":"id","type":"string"}],"consumes":[],"produces":["application/json"]},
  listSchedules: {"id":"listSchedules","method":"GET","path":"/api/v1/schedules","area":"schedules","summary":"List schedules","access":"read","effect":"read","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[],"consumes":[],"produces":["application/json"]},
  pauseSchedule: {"id":"pauseSchedule","method":"POST","path":"/api/v1/schedules/{project_id}/{name}/pause","area":"schedules","summary":"Pause a schedule","access":"write","effect":"write","projectAdmin":true,"limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[{"name":"project_id","in":"path","field":"project_id","type":"string"},{"name":"name","in":"path","field":"name","type":"string"}],"consumes":[],"produces":["application/json"]},
  resumeSchedule: {"id":"resumeSchedule","method":"POST","path":"/api/v1/schedules/{project_id}/{name}/resume","area":"schedules","summary":"Resume a schedule","access":"write","effect":"write","projectAdmin":true,"limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[{"name":"project_id","in":"path","field":"project_id","type":"string"},{"name":"name","in":"path","field":"name","type":"string"}],"consumes":[],"produces":["application/json"]},
  runSchedule: {"id":"runSchedule","method":"POST","path":"/api/v1/schedules/{project_id}/{name}/run","area":"schedules","summary":"Run a schedule now","access":"write","effect":"write","scope":"submit","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":202,"parameters":[{"name":"project_id","in":"path","field":"project_id","type":"string"},{"name":"name","in":"path","field":"name","type":"string"},{"name":"Idempotency-Key","in":"header","field":"idempotencyKey","type":"string"}],"consumes":[],"produces":["application/json"]},
  listForges: {"id":"listForges","method":"GET","path":"/api/v1/forges","area":"statuses","summary":"List the forges","access":"write","effect":"read","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[],"consumes":[],"produces":["application/json"]},
  getProjectForge: {"id":"getProjectForge","method":"GET","path":"/api/v1/projects/{id}/forge","area":"statuses","summary":"Get what a project and its forge know of each other","access":"write","effect":"read","projectAdmin":true,"limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[{"name":"id","in":"path","field":"id","type":"string"}],"consumes":[],"produces":["application/json"]},
  listRunStatuses: {"id":"listRunStatuses","method":"GET","path":"/api/v1/runs/{id}/statuses","area":"statuses","summary":"List what the forge shows of a run","access":"read","effect":"read","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[{"name":"id","in":"path","field":"id","type":"string"}],"consumes":[],"produces":["application/json"]},
  listNotifications: {"id":"listNotifications","method":"GET","path":"/api/v1/notifications","area":"notifications","summary":"List the webhooks of notifications","access":"write","effect":"read","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[],"consumes":[],"produces":["application/json"]},
  listNotificationDeadLetters: {"id":"listNotificationDeadLetters","method":"GET","path":"/api/v1/notifications/dead-letters","area":"notifications","summary":"List notifications that were given up","access":"write","effect":"read","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[{"name":"limit","in":"query","field":"limit","type":"integer"},{"name":"before","in":"query","field":"before","type":"string"}],"consumes":[],"produces":["application/json"]},
  redeliverNotifications: {"id":"redeliverNotifications","method":"POST","path":"/api/v1/notifications/{name}/redeliver","area":"notifications","summary":"Send notifications that were given up once more","access":"write","effect":"write","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":202,"parameters":[{"name":"name","in":"path","field":"name","type":"string"}],"consumes":["application/json"],"requiresBody":true,"produces":["application/json"]},
  receiveAlerts: {"id":"receiveAlerts","method":"POST","path":"/api/v1/webhooks/alertmanager","area":"alerts","summary":"Receive a notification of Alertmanager","access":"write","effect":"write","scope":"alerts","limited":true,"sanitize":false,"maxBody":1048576,"maxValues":50000,"status":200,"otherStatuses":[202],"parameters":[],"consumes":["application/json"],"produces":["application/json"]},
  listForgeDeliveries: {"id":"listForgeDeliveries","method":"GET","path":"/api/v1/webhooks/deliveries","area":"forges","summary":"List the events of forges","access":"write","effect":"read","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[{"name":"limit","in":"query","field":"limit","type":"integer"},{"name":"before","in":"query","field":"before","type":"string"},{"name":"forge","in":"query","field":"forge","type":"string"},{"name":"repository","in":"query","field":"repository","type":"string"},{"name":"project_id","in":"query","field":"project_id","type":"string"},{"name":"state","in":"query","field":"state","type":"string"}],"consumes":[],"produces":["application/json"]},
  getForgeDelivery: {"id":"getForgeDelivery","method":"GET","path":"/api/v1/webhooks/deliveries/{id}","area":"forges","summary":"Read an event of a forge","access":"write","effect":"read","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[{"name":"id","in":"path","field":"id","type":"string"}],"consumes":[],"produces":["application/json"]},
  redeliverForgeEvent: {"id":"redeliverForgeEvent","method":"POST","path":"/api/v1/webhooks/deliveries/{id}/redeliver","area":"forges","summary":"Process an event of a forge again","access":"write","effect":"write","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":202,"parameters":[{"name":"id","in":"path","field":"id","type":"string"}],"consumes":[],"produces":["application/json"]},
  receiveForgeEvent: {"id":"receiveForgeEvent","method":"POST","path":"/api/v1/webhooks/{kind}","area":"forges","summary":"Receive an event of a forge","access":"public","effect":"write","rawBody":true,"limited":true,"sanitize":false,"maxBody":26214400,"maxValues":10000,"status":202,"otherStatuses":[200],"parameters":[{"name":"kind","in":"path","field":"kind","type":"string"},{"name":"forge","in":"query","field":"forge","type":"string"}],"consumes":["application/json"],"requiresBody":true,"produces":["application/json"]},
  listAudit: {"id":"listAudit","method":"GET","path":"/api/v1/audit","area":"audit","summary":"List audit entries","access":"write","effect":"read","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[{"name":"limit","in":"query","field":"limit","type":"integer"},{"name":"before","in":"query","field":"before","type":"string"},{"name":"action","in":"query","field":"action","type":"string"}],"consumes":[],"produces":["application/json"]},
  getSignInMethods: {"id":"getSignInMethods","method":"GET","path":"/api/v1/auth/methods","area":"people","summary":"Report how people sign in","access":"public","effect":"none","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[],"consumes":[],"produces":["application/json"]},
  startOidcSignIn: {"id":"startOidcSignIn","method":"POST","path":"/api/v1/auth/oidc/start","area":"people","summary":"Begin to sign in at the issuer","access":"public","effect":"none","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[],"consumes":[],"produces":["application/json"]},
  finishOidcSignIn: {"id":"finishOidcSignIn","method":"POST","path":"/api/v1/auth/oidc/finish","area":"people","summary":"Sign in with what the issuer has returned","access":"public","effect":"none","stores":true,"limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[],"consumes":["application/json"],"produces":["application/json"]},
  getCurrentUser: {"id":"getCurrentUser","method":"GET","path":"/api/v1/auth/me","area":"people","summary":"Report who is signed in","access":"user","effect":"read","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[],"consumes":[],"produces":["application/json"]},
  logout: {"id":"logout","method":"POST","path":"/api/v1/auth/logout","area":"people","summary":"End the session of the caller","access":"user","effect":"none","stores":true,"limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[],"consumes":[],"produces":["application/json"]},
  getIdTokenConfiguration: {"id":"getIdTokenConfiguration","method":"GET","path":"/.well-known/openid-configuration","area":"people","summary":"Describe the issuer of tokens for steps","access":"public","effect":"none","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[],"consumes":[],"produces":["application/json"]},
  getIdTokenKeys: {"id":"getIdTokenKeys","method":"GET","path":"/.well-known/jwks.json","area":"people","summary":"List the keys of tokens for steps","access":"public","effect":"none","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[],"consumes":[],"produces":["application/json"]},
  getLiveness: {"id":"getLiveness","method":"GET","path":"/healthz","area":"system","summary":"Report that the server lives","access":"public","effect":"none","probe":"node","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[],"consumes":[],"produces":["application/json"]},
  getReadiness: {"id":"getReadiness","method":"GET","path":"/readyz","area":"system","summary":"Report whether the server can work","access":"public","effect":"none","probe":"store","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[],"consumes":[],"produces":["application/json"]},
  getMetrics: {"id":"getMetrics","method":"GET","path":"/metrics","area":"system","summary":"Get metrics","access":"read","effect":"none","probe":"node","limited":true,"sanitize":false,"maxBody":65536,"maxValues":10000,"status":200,"parameters":[],"consumes":[],"produces":["text/plain"]},
};
