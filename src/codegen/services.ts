/** The services that are described under `openapi/`. */
export const SERVICES = ['docs', 'runs'] as const;

export type ServiceName = (typeof SERVICES)[number];
