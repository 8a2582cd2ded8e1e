/** Entry point of the code that salvages a damaged database. */
export { salvageDatabase, type SalvageReport, type SalvagedTable } from './salvage.ts';
export type { LostDocument } from './reconcile.ts';
