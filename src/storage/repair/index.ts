/** Entry point of the code that salvages a damaged database. */
export type { LostDocument } from './reconcile.ts';
export { salvageDatabase, type SalvagedTable, type SalvageReport } from './salvage.ts';
