// Generated from the specifications by `npm run generate`. Do not edit.

/** Operations that only read, although they are sent by POST. */
export const READS: ReadonlySet<string> = /* @__PURE__ */ new Set([]);

/** Operations that take an `Idempotency-Key`. */
export const KEYED: ReadonlySet<string> = /* @__PURE__ */ new Set([
  'POST /api/v1/runs',
  'POST /api/v1/runs/{id}/retry',
  'POST /api/v1/runs/{id}/rerun',
  'POST /api/v1/schedules/{project_id}/{name}/run',
]);

/** How lists go on: by which field of the body or the query, where the items are, and where the next value is (`X-...` is a header). */
export const PAGES = {
  'GET /api/v1/runs': {"by":"before","in":"query","items":"data","next":"next_cursor"},
  'GET /api/v1/runs/{id}/logs': {"by":"offset","in":"query","items":"data","next":"next_offset"},
  'GET /api/v1/logs/search': {"by":"before","in":"query","items":"data","next":"next_cursor"},
  'GET /api/v1/projects/{id}/caches': {"by":"before","in":"query","items":"data","next":"next_cursor"},
  'GET /api/v1/projects/{id}/tests': {"by":"before","in":"query","items":"data","next":"next_cursor"},
  'GET /api/v1/projects/{id}/tests/history': {"by":"before","in":"query","items":"data","next":"next_cursor"},
  'GET /api/v1/notifications/dead-letters': {"by":"before","in":"query","items":"data","next":"next_cursor"},
  'GET /api/v1/webhooks/deliveries': {"by":"before","in":"query","items":"data","next":"next_cursor"},
  'GET /api/v1/audit': {"by":"before","in":"query","items":"data","next":"next_cursor"},
} as const;
