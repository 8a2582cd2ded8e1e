/** The services that are described under `openapi/`. */
export const SERVICES = ['docs'] as const;

export type ServiceName = (typeof SERVICES)[number];
