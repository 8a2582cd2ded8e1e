/** Maximum number of each kind; lists are returned whole. */
export const MAX_USERS = 100_000;
export const MAX_ROLES = 1000;
export const MAX_GROUPS = 10_000;
export const MAX_API_KEYS_OF_A_USER = 1000;
export const MAX_MCP_KEYS = 1000;
