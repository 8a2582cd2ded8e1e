export { createMaintenance, type Maintenance, type MaintenanceDependencies } from './maintenance.ts';
